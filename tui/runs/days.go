package runs

import (
	"fmt"
	"slices"
	"time"

	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// A list in the order of the starts has a head before the runs of each day, if it has runs of
// several days. So a row of the screen is a line of runs or a head.

// startedHead is the head of the column of starts.
const startedHead = "started"

// The width from which a start is "12 min ago" in place of "12 min", and what each takes.
const (
	agoFrom    = 60
	agoCells   = 11
	shortCells = 8
)

// ago says how long ago a time was: "12 min ago". Without a clock it is the day. A run may have
// started since now, which is brought once a minute.
func ago(t, now time.Time, long bool) string {
	since := now.Sub(t)
	const most = 100 * 24 * time.Hour
	switch {
	case since.Abs() < time.Minute:
		return "now"
	case now.IsZero() || since < 0 || since >= most:
		if long {
			return t.UTC().Format("2006-01-02")
		}
		return t.UTC().Format("01-02")
	case long:
		return kit.Age(since) + " ago"
	}
	return kit.Age(since)
}

// startedColumn returns the column of starts.
func (p *Page) startedColumn() runColumn {
	c := figures(startedHead, agoCells, 0, func(l line) string {
		return ago(l[0].Meta.Created, p.now, p.Body.W >= agoFrom)
	}, nil)
	c.Words = true
	return c
}

// minuteMsg brings the time, once a minute: the screen says how long ago runs started.
type minuteMsg time.Time

// clock sends the time if another minute has begun.
func (p *Page) clock(now time.Time) tea.Cmd {
	if now.Truncate(time.Minute).Equal(p.now.Truncate(time.Minute)) {
		return nil
	}
	return kit.Send(minuteMsg(now))
}

// dayOf returns the day of a line, as a number that differs from day to day.
func dayOf(l line) int64 { return l[0].Meta.Created.Unix() / (24 * 3600) }

// findDays finds the lines with which a day begins; none where heads say nothing.
func (p *Page) findDays() {
	p.days = nil
	if p.columns[p.by].Head != startedHead {
		return
	}
	for i, l := range p.shown {
		if i == 0 || dayOf(l) != dayOf(p.shown[i-1]) {
			p.days = append(p.days, i)
		}
	}
	if len(p.days) < 2 {
		p.days = nil
	}
}

// rowOf returns the row of line i among all lines and heads.
func (p *Page) rowOf(i int) int {
	heads, _ := slices.BinarySearch(p.days, i+1)
	return i + heads
}

// lineAt returns the line of a row. A head has the line below it.
func (p *Page) lineAt(row int) (i int, head bool) {
	for n, day := range slices.Backward(p.days) {
		switch at := day + n; {
		case row == at:
			return day, true
		case row > at:
			return row - n - 1, false
		}
	}
	return row, false
}

// dayHead draws the head of the day of line i.
func (p *Page) dayHead(i int) string {
	t := p.shown[i][0].Meta.Created.UTC()
	text := t.Format("Monday, 2 January 2006")
	switch dayOf(p.shown[i]) - p.now.Unix()/(24*3600) {
	case 0:
		text = "Today"
	case -1:
		text = "Yesterday"
	}
	n := len(p.shown)
	if next, _ := slices.BinarySearch(p.days, i+1); next < len(p.days) {
		n = p.days[next]
	}
	return p.Theme.Title.Paint(" "+text) +
		p.Theme.Dim.Paint(" · "+kit.Plural(n-i, "line"))
}

// grouped writes a number with a blank between thousands: 10 000.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + " " + text[at:]
	}
	return text
}
