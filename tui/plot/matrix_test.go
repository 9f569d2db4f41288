package plot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"drolab/tui/cell"
)

// sufferers returns a matrix of three methods and four classes, whose second method is the
// baseline.
func sufferers(cs Charset) *Matrix {
	nan := math.NaN()
	row := func(label string, best int, base, first, third float64, n string) MatrixRow {
		return MatrixRow{Row: Row{Label: label, Cells: []string{n, "434"}}, Best: best,
			Values:  []float64{first, base, third},
			Changes: []float64{first - base, nan, third - base}}
	}
	m := &Matrix{
		Percent: true,
		Heads:   []string{"class", "n", "train"},
		Best:    "★",
		Columns: []MatrixColumn{
			{Mark: "●", Name: "sfk ρ=0.2", Briefs: []string{"sfk"}, Front: true},
			{Mark: "◆", Name: "erm ρ=0.2", Briefs: []string{"erm"}, Number: 3, Keep: true},
			{Mark: "▣", Name: "sfk-auto ρ=0.2", Briefs: []string{"sfk-auto"}, Number: 13}},
		Rows: []MatrixRow{
			row("hexagon", 2, .571, .541, .671, "200"),
			row("hexagram", 0, .810, .884, .880, "200"),
			row("rhombus", -1, .844, .844, nan, "12"),
			row("ring", -1, 1, .9999, .985, "200")},
		RowNouns:    [2]string{"class", "classes"},
		ColumnNouns: [2]string{"method", "methods"},
		Charset:     cs}
	if cs == ASCII {
		m.Best = "^"
	}
	m.Rows[0].Worst, m.Rows[2].Few = true, true
	return m
}

// TestGoldenMatrix: with less room, names are shortened first and then cut, then signs take the
// place of differences, and then columns are left out. Rows are as high as there is room.
func TestGoldenMatrix(t *testing.T) {
	for name, cs := range map[string]Charset{"lines": Lines, "ascii": ASCII} {
		t.Run(name, func(t *testing.T) {
			f, text := new(Frame), ""
			for _, size := range [][2]int{{100, 14}, {58, 5}, {46, 5}, {40, 5}, {34, 4}, {24, 4}} {
				sufferers(cs).DrawTo(f, size[0], size[1])
				text += fmt.Sprintf("%d by %d\n%s", size[0], size[1], styled(f))
			}
			golden(t, "matrix-"+name, text)
		})
	}
}

// TestLongNamesAreCut: a long name that has no shorter form is cut before differences lose their
// figures, above all that of a method without any.
func TestLongNamesAreCut(t *testing.T) {
	m, f := sufferers(Lines), new(Frame)
	nan := math.NaN()
	m.Columns = append(m.Columns, MatrixColumn{Mark: "●₂", Name: "sfk fork lr .001"})
	for i := range m.Rows {
		r := &m.Rows[i]
		r.Values, r.Changes = append(r.Values, nan), append(r.Changes, nan)
	}
	m.DrawTo(f, 58, 5)
	for _, want := range []string{"●₂…", "sfk-auto", "-3.0", "+10.0"} {
		if text := f.String(); !strings.Contains(text, want) {
			t.Errorf("the matrix lacks %q:\n%s", want, text)
		}
	}
}

// TestMatrixSaysWhatIsMissing: at every size, each class and each method of a matrix is shown or
// counted as missing.
func TestMatrixSaysWhatIsMissing(t *testing.T) {
	m, f := sufferers(Lines), new(Frame)
	for w := 30; w < 120; w++ {
		for h := 3; h < 20; h++ {
			m.DrawTo(f, w, h)
			text := f.String()
			rows, columns := 0, 0
			for _, r := range m.Rows {
				rows += min(1, strings.Count(text, r.Label))
			}
			for _, c := range m.Columns {
				columns += strings.Count(text, c.Mark)
			}
			want := ""
			if rows < len(m.Rows) || columns < len(m.Columns) {
				want = m.missing(len(m.Rows)-rows, len(m.Columns)-columns)
			}
			lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
			got := strings.TrimSpace(lines[len(lines)-1])
			if !strings.HasPrefix(got, "+") {
				got = ""
			}
			if got != want {
				t.Errorf("%d by %d cells: %q is said to be missing, want %q:\n%s", w, h, got,
					want, text)
			}
		}
	}
}

// TestMatricesNeverPanic: matrices do not panic or draw outside their frame, whatever the data, the
// sizes and the names.
func TestMatricesNeverPanic(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	f := new(Frame)
	for range draws(4000) {
		m := &Matrix{Percent: r.IntN(2) == 0, Lower: r.IntN(2) == 0, Best: "★",
			Heads: []string{nastyName(r), nastyName(r)}[:r.IntN(3)], First: r.IntN(9) - 2,
			Charset: Charset(r.IntN(3)), Totals: r.IntN(3),
			Foot: nastyName(r)}
		for i := range r.IntN(7) {
			mark := string(cell.Mark(i, m.Charset == ASCII))
			m.Columns = append(m.Columns, MatrixColumn{Mark: mark, Name: nastyName(r),
				Briefs: []string{nastyName(r)}[:r.IntN(2)], Number: uint8(i),
				Front: r.IntN(3) == 0, Keep: r.IntN(3) == 0})
		}
		for range r.IntN(9) {
			row := MatrixRow{Best: r.IntN(4) - 1, Row: Row{Label: nastyName(r), Few: r.IntN(4) == 0,
				Cells: []string{nastyName(r), nastyName(r)}[:r.IntN(3)]}}
			for range m.Columns {
				row.Values = append(row.Values, nasty(r))
				row.Changes = append(row.Changes, nasty(r))
			}
			m.Rows = append(m.Rows, row)
		}
		w, h := 1+r.IntN(100), 1+r.IntN(12)
		m.DrawTo(f, w, h)
		checkFrame(t, f, w, h, m.Charset)
	}
}

// TestTintsEndWithTheirCells: a tint colours the blanks of its figure, and no blank beside it.
func TestTintsEndWithTheirCells(t *testing.T) {
	f := new(Frame)
	sufferers(Lines).DrawTo(f, 58, 5)
	var b strings.Builder
	f.WriteRow(&b, 1, func(s Style) (start, end string) {
		if s.Role.tints() {
			return "[", "]"
		}
		return "", ""
	})
	want := "hexagon ◂ [  54.1  -3.0]     57.1     [   67.1★ +10.0   ] 200 "
	if b.String() != want {
		t.Errorf("the first row is %q, want %q", b.String(), want)
	}
}

// TestMatrixTotals: the rows over all places are shown where every other row has room, as many as
// fit, and are set off by a blank line if there is one more. Their foot needs a further line.
func TestMatrixTotals(t *testing.T) {
	m, f := sufferers(Lines), new(Frame)
	m.Totals, m.Foot = 2, "what they are"
	m.Rows[2].Label, m.Rows[3].Label = "worst", "mean"
	line := func(label string) int {
		return slices.IndexFunc(strings.Split(f.String(), "\n"),
			func(s string) bool { return strings.HasPrefix(s, label) })
	}
	for h, want := range map[int][3]int{3: {-1, -1, -1}, 4: {3, -1, -1}, 5: {3, 4, -1},
		6: {4, 5, -1}, 7: {4, 5, 6}, 8: {5, 6, 7}} {
		m.DrawTo(f, 58, h)
		got := [3]int{line("worst"), line("mean"), line(m.Foot)}
		if got != want {
			t.Errorf("%d lines: totals and foot are in lines %v, want %v:\n%s", h, got, want,
				f.String())
		}
		if strings.Contains(f.String(), "+1 class") {
			t.Errorf("%d lines: a class is said to be missing:\n%s", h, f.String())
		}
	}
}
