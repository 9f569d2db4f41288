package tui

// rect is a part of the screen, in cells; x and y are those of its top left
// cell.
type rect struct{ x, y, w, h int }

func (r rect) contains(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// The smallest screen that is drawn; below it one line says so.
const (
	leastWidth  = 40
	leastHeight = 12
)

// screen is where the parts that every page has are.
type screen struct{ header, body, footer rect }

// layScreen divides a screen of w by h cells.
func layScreen(w, h int) screen {
	return screen{
		header: rect{0, 0, w, 1},
		body:   rect{0, 1, w, h - 2},
		footer: rect{0, h - 1, w, 1},
	}
}

// boxed tells whether a page of h rows has room for boxes around its panels;
// below, a panel is a title line and what is under it.
func boxed(h int) bool { return h >= 16 }

// watchLayout is where the parts of the Watch page are.
type watchLayout struct {
	runs   rect   // one row a run, below a row of column heads
	panels []rect // as many as are shown
	log    rect   // h is 0 without it
}

// layWatch divides w by h cells for a number of runs and of panels (1, 2, 4 or
// 6), with the log pane or not.
func layWatch(w, h, runs, panels int, log bool) watchLayout {
	var l watchLayout
	rows := min(runs, max(1, h/5)) + 1
	if h < leastHeight {
		rows = min(runs, 2)
	}
	l.runs = rect{0, 0, w, rows}
	rest := rect{0, rows, w, h - rows}
	if log {
		l.log = rect{0, 0, w, max(3, min(rest.h/3, 10))}
		rest.h -= l.log.h
		l.log.y = rest.y + rest.h
	}
	columns, lines := grid(panels, rest.w, rest.h)
	l.panels = tile(rest, columns, lines)
	return l
}

// grid is how many columns and lines of panels there are in w by h cells.
func grid(panels, w, h int) (columns, lines int) {
	switch {
	case panels >= 6 && w >= 3*h:
		return 3, 2
	case panels >= 6:
		return 2, 3
	case panels >= 4:
		return 2, 2
	case panels >= 2 && w >= 3*h:
		return 2, 1
	case panels >= 2:
		return 1, 2
	}
	return 1, 1
}

// tile divides r into equal cells, row by row; what is left over goes to the
// first ones.
func tile(r rect, columns, lines int) []rect {
	var list []rect
	for j := range lines {
		for i := range columns {
			x0, x1 := share(r.w, i, columns), share(r.w, i+1, columns)
			y0, y1 := share(r.h, j, lines), share(r.h, j+1, lines)
			list = append(list, rect{r.x + x0, r.y + y0, x1 - x0, y1 - y0})
		}
	}
	return list
}

// share is where the i-th of n parts of a length starts.
func share(length, i, n int) int { return length/n*i + min(i, length%n) }

// panelsFor is how many panels suit a page of w by h cells.
func panelsFor(w, h int) int {
	switch {
	case w >= 160 && h >= 44:
		return 6
	case w >= 100 && h >= 30:
		return 4
	case w >= 70:
		return 2
	}
	return 1
}

// placed is a block of lines, each exactly w cells wide, and where it goes.
type placed struct {
	rect
	lines []string
}

// compose puts blocks that do not overlap together to h lines of w cells.
// Blocks that share a line must come from left to right.
func compose(w, h int, blocks []placed) []string {
	out := make([]string, max(0, h))
	at := make([]int, len(out))
	for _, b := range blocks {
		for i, line := range b.lines {
			y := b.y + i
			if i >= b.h || y < 0 || y >= len(out) {
				continue
			}
			out[y] += blanks(b.x-at[y]) + line
			at[y] = b.x + b.w
		}
	}
	for y := range out {
		out[y] += blanks(w - at[y])
	}
	return out
}
