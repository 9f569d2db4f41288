package tui

import "drolab/tui/kit"

// blocked says why what a row does cannot be done now; "" when it can.
func (m *Model) blocked(row *kit.Key) string {
	if why := m.barred(row); why != "" {
		return why
	}
	if m.at == watchPage && m.watch.Replaying() && row.Alters {
		return "a replay changes nothing: R ends it"
	}
	return row.Blocked()
}

// barred says why this view never does what a row does; "" where it may.
func (m *Model) barred(row *kit.Key) string {
	switch {
	case m.Config.ReadOnly && row.Alters:
		return readOnly
	case m.Config.Guest && row.Local:
		return guest
	}
	return ""
}

const guest = "this view is shared: it reads runs, and no other file"

const readOnly = "this view is read-only: leave it and use drolab attach to change anything"
