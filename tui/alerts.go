package tui

import (
	"maps"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/alert"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// alertState holds what happened to the runs of the folder, and of the boxes.
type alertState struct {
	from    *record.Alerts
	of      map[string]*record.Run // the runs that were read, by their folders
	reading bool
	list    []alert.Alert        // the newest first
	known   map[alert.Alert]bool // those that are no news
	looked  time.Time            // when the user last looked, also before this start; zero: never
	fresh   []alert.Alert        // those since then, the newest first
	due     bool                 // the newest of them is to stand at the foot
	overlay *kit.Overlay         // Alerts, as it was opened last
}

// Alerts are read of so long before the start. So many of them are listed.
const (
	alertsSince = 24 * time.Hour
	mostListed  = 200
)

// readAlerts reads the alerts of runs, and those of runs that cannot be read, unless others are
// being read: then their turn comes with the next look at the folder.
func (m *Model) readAlerts(runs []*record.Run, problems []error) tea.Cmd {
	if m.alerts.reading || m.Config.FixedRuns != nil {
		return nil
	}
	if m.alerts.from == nil {
		since := m.now
		if since.IsZero() {
			since = time.Now()
		}
		m.alerts.from = &record.Alerts{Since: since.Add(-alertsSince)}
	}
	m.alerts.reading = true
	from, missing := m.alerts.from, maps.Clone(m.alerts.of)
	for _, r := range runs {
		delete(missing, r.Dir)
	}
	from.Open = m.Source.Open
	return func() tea.Msg {
		runs := slices.Concat(runs, record.Unread(problems))
		list, _ := from.Read(runs) // page Runs says which run cannot be read
		gone := slices.DeleteFunc(slices.Collect(maps.Values(missing)), isThere)
		return alertsMsg{runs, gone, list}
	}
}

// noteAlerts takes in the alerts that were read. The first that are read at all are no news, except
// those since the last look.
func (m *Model) noteAlerts(msg alertsMsg) tea.Cmd {
	a := &m.alerts
	first := a.known == nil
	a.reading = false
	if first {
		a.known, a.of = map[alert.Alert]bool{}, map[string]*record.Run{}
	}
	read := map[string]bool{}
	for _, r := range msg.runs {
		read[r.Meta.ID], a.of[r.Dir] = true, r
	}
	for _, r := range msg.gone {
		read[r.Meta.ID] = true
		delete(a.of, r.Dir)
	}
	rest := slices.DeleteFunc(slices.Clone(a.list), func(x alert.Alert) bool {
		return read[x.Run]
	})
	list := slices.Concat(msg.list, rest)
	alert.NewestFirst(list, m.now)
	if slices.Equal(list, a.list) && !first {
		return nil
	}
	a.list = list
	if first {
		m.setKnown()
	}
	before := len(a.fresh)
	m.countFresh()
	m.version++
	if len(a.fresh) > before && !first {
		a.due = true
		m.showAlert()
	}
	m.redrawAlerts()
	return nil
}

// setKnown takes for known what happened before the last look or, if there was none, all there is.
func (m *Model) setKnown() {
	clear(m.alerts.known)
	for _, x := range m.alerts.list {
		if m.alerts.looked.IsZero() || !x.Time.After(m.alerts.looked) {
			m.alerts.known[x] = true
		}
	}
}

// countFresh finds the alerts that the user has not looked at.
func (m *Model) countFresh() {
	m.alerts.fresh = slices.DeleteFunc(slices.Clone(m.alerts.list), func(x alert.Alert) bool {
		return m.alerts.known[x]
	})
}

// showAlert says the newest alert at the foot, once nothing else stands there. The footer counts it
// from then on. Watch says itself what becomes of the runs that it shows, and keeps its keys there.
func (m *Model) showAlert() {
	a := &m.alerts
	if !a.due || m.notice.Text != "" || m.isTyping() || len(a.fresh) == 0 {
		return
	}
	x := a.fresh[0]
	if m.current == watchPage && slices.Contains(m.watch.Runs.IDs(), x.Run) {
		a.due = false
		return
	}
	text := m.alertHint(0) + " · " + cell.OneLine(x.Run+": "+x.Text)
	a.due = false
	m.notice = kit.Notice{Text: kit.KeyName(alertsKey, m.env.ascii) + " " + text,
		Bad: x.Level == alert.Error, Unasked: true, OneLine: true}
	m.noticed = m.now
	m.version++
}

// alertsKey opens Alerts.
const alertsKey = "N"

// alertKey returns the row of the key table for Alerts. Its hint stands in the footer while there
// are some that the user has not looked at.
func (m *Model) alertKey() kit.Key {
	return kit.Key{Keys: kit.On(alertsKey), Hint: "alerts", HintIn: m.alertHint, Last: true,
		Help: "alerts: which runs are done, warn, failed or were interrupted", Group: kit.ToLook,
		Why: func() string {
			return kit.Unless(m.Config.FixedRuns == nil, "Runs that are only shown have no alerts")
		},
		Act: kit.Just(m.openAlerts)}
}

// alertHint counts the alerts since the last look; "" for none.
func (m *Model) alertHint(int) string {
	if n := len(m.alerts.fresh); n > 0 {
		return kit.Plural(n, "alert")
	}
	return ""
}

// openAlerts opens the overlay Alerts, and takes its alerts for known.
func (m *Model) openAlerts() {
	o := &kit.Overlay{Title: "Alerts", Make: m.alertLines}
	m.open(o)
	m.alerts.overlay = o
	m.lookAtAlerts()
}

// lookAtAlerts takes for known what is listed.
func (m *Model) lookAtAlerts() {
	a := &m.alerts
	a.fresh, a.due, a.looked = nil, false, m.now
	for _, x := range a.list {
		a.known[x] = true
	}
}

// redrawAlerts brings the overlay Alerts up to date while it is open.
func (m *Model) redrawAlerts() {
	if o := m.alerts.overlay; o != nil && m.overlay == o {
		m.open(o)
		m.lookAtAlerts()
	}
}

// alertLines returns the lines of Alerts in w cells: what happened, and what helps.
func (m *Model) alertLines(t *kit.Theme, w int) []string {
	a := &m.alerts
	if len(a.list) == 0 {
		return kit.Wrap("Nothing has happened to a run within the last day. drolab alerts "+
			"--since 2d looks further back, and --notify tells when something happens.", w)
	}
	styles := map[alert.Level]kit.Style{alert.Info: t.Text, alert.Warn: t.Warn,
		alert.Error: t.Alarm}
	var points []kit.Statement
	for _, x := range a.list[:min(len(a.list), mostListed)] {
		text := x.Run + ": " + x.Text
		if x.Box != "" {
			text = x.Run + " on " + x.Box + ": " + x.Text
		}
		age := kit.Age(max(0, m.now.Sub(x.Time)))
		if x.IsAhead(m.now) {
			age = "ahead"
		}
		points = append(points, kit.Statement{Name: age,
			Text: cell.OneLine(text), Style: styles[x.Level], Whole: true})
	}
	const all = 1 << 20
	lines := append(t.Statements(points, 9, w, all), "")
	for _, k := range alert.Kinds() {
		if slices.ContainsFunc(a.list, func(x alert.Alert) bool { return x.Name == k.Name }) {
			lines = append(lines, t.Hang(" "+k.Name+": ", t.Dim, k.Remedy, w)...)
		}
	}
	return lines
}

// tellInterrupted hands the runs that were found interrupted to the caller of the interface.
func (m *Model) tellInterrupted(runs []*record.Run) tea.Cmd {
	tell := m.Config.Interrupted
	gone := slices.DeleteFunc(lab.Own(runs), func(r *record.Run) bool {
		return r.Status() != runner.Interrupted
	})
	if tell == nil || len(gone) == 0 {
		return nil
	}
	return func() tea.Msg {
		if err := tell(gone); err != nil {
			return kit.Complain(err)()
		}
		return nil
	}
}

// The name under which the time of the last look is kept among the views.
const alertsView, lookedName = "Alerts", "looked"

// keepLook adds the time of the last look to the views.
func (m *Model) keepLook(v lab.Views) {
	if !m.alerts.looked.IsZero() {
		v[alertsView] = map[string][]string{
			lookedName: {m.alerts.looked.UTC().Format(time.RFC3339Nano)}}
	}
}

// recallLook takes the time of the last look from the views.
func (m *Model) recallLook(v lab.Views) {
	for _, text := range v[alertsView][lookedName] {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil || at.After(time.Now()) { // anybody may have changed the file
			continue
		}
		m.alerts.looked = at
		if m.alerts.known != nil {
			m.setKnown()
			m.countFresh()
			m.version++
		}
	}
}
