package tui

import (
	"fmt"
	"slices"
	"strings"

	"drolab/runner/lists"
	"drolab/tui/kit"
)

// help returns the key table of the page, and of all pages, with each key once: first those that
// work now, in groups, then the others under the reasons why they do not.
func (m *Model) help() *kit.Overlay {
	t, shown := m.Theme, map[string]bool{}
	var reasons []string
	rows := map[string][]kit.Key{} // by the reason why they do nothing now; "" for those that work
	for _, works := range []bool{true, false} {
		for i := range m.keys[m.current] {
			row := &m.keys[m.current][i]
			why, name := row.Blocked(), row.Keys.Keys()[0]
			if row.Help == "" || m.barReason(row) != "" || shown[name] || (why == "") != works {
				continue
			}
			shown[name] = true
			if why != "" && rows[why] == nil {
				reasons = append(reasons, why)
			}
			rows[why] = append(rows[why], *row)
		}
	}
	titles := lists.Map(m.pages, page.Title)
	working := append(rows[""], kit.Key{Keys: kit.On(fmt.Sprintf("1 to %d", len(titles))),
		Help: "the pages: " + strings.Join(titles, ", "), Group: kit.ToLeave},
		kit.Key{Keys: kit.On("mouse"), Group: kit.ToWatch,
			Help: "click a tab, a panel, a row or a hint; the wheel scrolls"},
		kit.Key{Keys: kit.On("letters"), Group: kit.ToLook,
			Help: "in this help: find a key by its words; Enter does what it does"})
	const wide = 116 // two columns
	w := m.w - 4
	if m.w >= wide {
		w = w/2 - 1
	}
	var lines []string
	for group := kit.ToStart; group <= kit.ToLeave; group++ {
		of := slices.DeleteFunc(slices.Clone(working), func(k kit.Key) bool {
			return k.In() != group
		})
		if len(of) > 0 {
			lines = append(append(lines, t.Title.Paint(group.String())), t.HelpLines(of, w)...)
		}
	}
	for _, why := range reasons {
		lines = append(lines, t.Hang("", t.Dim, "Not now ("+why+"):", w)...)
		lines = append(lines, t.HelpLines(rows[why], w)...)
	}
	if m.Config.ReadOnly {
		lines = append(lines, "",
			t.Warn.Paint("This view is read-only: it cannot start, change or delete runs."))
	}
	if m.w >= wide {
		lines = inColumns(lines, w, max(1, m.Body.H-2))
	}
	return &kit.Overlay{Title: "Keys on " + m.page().Title(), Lines: lines, Typed: m.searchKeys}
}

// inColumns lays lines out in two columns of w cells, screen by screen of h lines.
func inColumns(lines []string, w, h int) (out []string) {
	for len(lines) > 0 {
		n := min(h, (len(lines)+1)/2)
		out = append(out, kit.Compose(2*w+2, n, []kit.Block{
			{Rect: kit.Area(0, 0, w, n), Lines: kit.Fill(lines, w, n)},
			{Rect: kit.Area(w+2, 0, w, n), Lines: kit.Fill(lines[n:], w, n)}})...)
		lines = lines[min(len(lines), 2*n):]
	}
	return out
}
