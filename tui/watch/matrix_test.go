package watch

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro/testsize"
	"drolab/runner/measure"
	"drolab/tui/internal/tuitest"
	"drolab/tui/plot"
	"drolab/tui/watch/panel"
)

// onWho focuses Who suffers.
func onWho(w *Page) {
	w.screen.focus = slices.IndexFunc(w.Board.Panels,
		func(p panel.Panel) bool { return strings.HasPrefix(p.Title, "Who") })
}

// TestMatrixByWidth: Who suffers has a column for each method from 60 columns on. In less it has
// their marks, and f goes on to the bars of one run, since its second view would show the same.
func TestMatrixByWidth(t *testing.T) {
	r := watching(t, 100, 40)
	r.Wait(20*time.Second, time.Second)
	onWho(r.watch)
	for w := 100; w < 140; w += testsize.Pick(3, 1, 1) {
		r.Size(w, 38)
		r.watch.touch()
		at, _ := r.watch.inside(r.watch.screen.focus)
		matrix := at.W >= 58
		view := r.watch.Board.CurrentView(r.watch.screen.focus)
		if got := r.watch.Board.ShowsMatrix(view, at.W); got != matrix {
			t.Errorf("%d columns within the panel: a matrix: %v, want %v", at.W, got, matrix)
		}
		if s := tuitest.Text(r.Shot()); strings.Contains(s, "n train") != matrix {
			t.Errorf("%d columns within the panel: the matrix is drawn: %v, want %v:\n%s", at.W,
				!matrix, matrix, s)
		}
		r.Press("f")
		want := "one run"
		if matrix {
			want = "marks"
		}
		if got := r.watch.Board.CurrentView(r.watch.screen.focus).Name; got != want {
			t.Errorf("%d columns within the panel: f shows %q, want %q", at.W, got, want)
		}
		for r.watch.Board.CurrentView(r.watch.screen.focus) != view {
			r.Press("f")
		}
	}
}

// TestMatrixZoomed: alone on the screen, the matrix has every class and every method, and its rows
// fill the height as far as they may grow.
func TestMatrixZoomed(t *testing.T) {
	r := watching(t, 120, 40)
	r.Wait(20*time.Second, time.Second)
	onWho(r.watch)
	r.Press("z")
	s := tuitest.Text(r.Shot())
	names := slices.Clone(r.watch.Runs.Run().Meta.Classes)
	for _, row := range r.watch.Runs.Rows() {
		names = append(names, r.watch.Runs.Tracks[row[0]].Short)
	}
	for _, name := range names {
		if !strings.Contains(s, name) {
			t.Errorf("no %s:\n%s", name, s)
		}
	}
	first, last := strings.Index(s, "crescent"), 0
	for _, class := range r.watch.Runs.Run().Meta.Classes {
		first, last = min(first, strings.Index(s, class)), max(last, strings.LastIndex(s, class))
	}
	rows := strings.Count(s[first:last], "\n")
	if room := r.watch.layout().panels[0].H - 3; rows < room*2/3 {
		t.Errorf("the classes stand on %d of %d lines:\n%s", rows, room, s)
	}
}

// TestMatrixHasNoForeignText: names of classes and of runs come from files. What steers a terminal
// is not drawn.
func TestMatrixHasNoForeignText(t *testing.T) {
	r := watching(t, 120, 40)
	for _, track := range r.watch.Runs.Tracks {
		track.Meta.Classes = slices.Clone(track.Meta.Classes)
		track.Meta.Classes[0] = "a\x1b[2Jb\nc\u202e"
		track.Short = "\x1b]0;x\x07sfk"
	}
	for range 2 { // in its panel, and alone
		for _, line := range r.watch.View(r.watch.Body.W, r.watch.Body.H) {
			if strings.Contains(line, "\x1b[2J") || strings.Contains(line, "\x1b]0") ||
				strings.ContainsAny(line, "\n\u202e\x07") {
				t.Errorf("a name steers the terminal: %q", line)
			}
		}
		onWho(r.watch)
		r.Press("z")
	}
}

// checkMatrix compares the matrix of Who suffers with the logs: its figures, and their changes
// against the baseline.
func checkMatrix(t *testing.T, l look) (n int) {
	t.Helper()
	who, ok := l.whoSuffers()
	if !ok {
		return 0
	}
	runs := l.w.Runs
	rows, baseRow := runs.Rows(), runs.RowOf(runs.Baseline)
	m := l.w.Board.Matrix(who, l.w.Board.CurrentView(who), 20)
	if len(m.Columns) != len(rows) {
		t.Fatalf("%s: the matrix has %d columns, want one for each of %d rows of the table",
			l.where, len(m.Columns), len(rows))
	}
	totals := map[string]string{"worst %": "worst_class_accuracy", "mean %": "test_accuracy"}
	for i, line := range m.Rows {
		if column := l.w.named(line.Label); column != nil {
			checkTotal(t, l, &line, column)
		} else if i >= len(m.Rows)-m.Totals {
			t.Errorf("%s: no column of the table has the name of the row %s", l.where, line.Label)
		}
		figure := func(row []int) float64 {
			if of := totals[line.Label]; of != "" { // of all classes, as in the table
				return l.figure(runs.InRow(row), of)
			}
			return l.accuracy(runs.Counted(runs.InRow(row)), line.Label)
		}
		base := figure(baseRow)
		for k, row := range rows {
			want := figure(row)
			if got := line.Values[k]; !same(got, want) {
				t.Errorf("%s: %s of row %d is %g in the matrix, want %g", l.where, line.Label, row,
					got, want)
			}
			change := want - base
			if slices.Equal(row, baseRow) {
				change = math.NaN()
			}
			if got := line.Changes[k]; !same(got, change) {
				t.Errorf("%s: %s of row %d changes by %g, want %g", l.where, line.Label, row, got,
					change)
			}
			if want == want {
				n++
			}
		}
	}
	return n
}

// named returns the column of the table with a head; nil for none.
func (w *Page) named(head string) *column {
	for _, c := range w.columns() {
		if c.Head == head {
			return &c
		}
	}
	return nil
}

// checkTotal compares a row of the matrix with the column of the same name: one name is one number,
// and one star.
func checkTotal(t *testing.T, l look, line *plot.MatrixRow, c *column) {
	t.Helper()
	for k, row := range l.w.Runs.Rows() {
		v := line.Values[k]
		got := formatValue(*c.best, measure.NumIf(v == v, v))
		if want := c.Cell(l.w.Runs.InRow(row)); got != want {
			t.Errorf("%s: %s of row %d is %s in the matrix and %s in the table", l.where, c.Head,
				k, got, want)
		}
	}
	if want := l.w.bests([]column{*c})[0]; line.Best != want {
		t.Errorf("%s: the best %s is in row %d of the table and column %d of the matrix", l.where,
			c.Head, want, line.Best)
	}
}

// TestMatrixSaysWhatTheWorstIs: where worst % is no figure of the matrix's classes, a line below
// says what it is: over several epochs or seeds.
func TestMatrixSaysWhatTheWorstIs(t *testing.T) {
	for name, s := range clockScripts(t, 1) {
		r := newDriver(t, s, 200, 60)
		r.Wait(20*time.Second, time.Second)
		want := "worst %: mean of the worst class of each epoch "
		if name == "seeds" {
			want = "worst %: mean of the worst class of each epoch and seed"
		}
		if screen := tuitest.Text(r.Shot()); !strings.Contains(screen, want) {
			t.Errorf("%s: no %q:\n%s", name, want, screen)
		}
	}
}
