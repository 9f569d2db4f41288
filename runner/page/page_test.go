package page

import (
	"math"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner/measure"
)

func TestStyles(t *testing.T) {
	n, half, none := measure.Num(.123456), measure.Num(.0123), measure.Number{}
	for _, c := range []struct{ name, got, want string }{
		{"digits", Digits(4).Text(n), "0.1235"},
		{"digits and an interval", Digits(4).With(n, half), "0.123 ± 0.012"},
		{"three digits of the interval", Digits(4).Half(3).With(n, half), "0.1235 ± 0.0123"},
		{"an interval of 1", Digits(4).With(measure.Num(12), measure.Num(.996)), "12.0 ± 1.0"},
		{"a wide interval", Digits(4).With(n, measure.Num(321)), "0 ± 321"},
		{"an interval of 0", Digits(4).With(n, measure.Num(0)), "0.1235 ± 0"},
		{"an interval near 0", Digits(4).With(n, measure.Num(3e-9)), "0.1235 ± 3e-09"},
		{"a number with an exponent", Digits(4).With(measure.Num(2e9), half), "2e+09 ± 0.012"},
		{"fixed", Fixed(2).With(n, half), "0.12 ± 0.01"},
		{"points", Points().With(n, half), "12.3 ± 1.2"},
		{"points keep their decimals", Points().Half(3).With(n, half), "12.3 ± 1.2"},
		{"percent", Percent().Text(n), "12.3 %"},
		{"signed", Digits(3).Signed().Text(measure.Num(-2)), "−2"},
		{"signed, positive", Points().Signed().With(n, half), "+12.3 ± 1.2"},
		{"a measure in percent", TableStyle(dro.Percent).Text(n) + ", " +
			SentenceStyle(dro.Percent).Text(n),
			"12.3, 12.3 %"},
		{"another measure", TableStyle(dro.Log).Text(n) + ", " + SentenceStyle(dro.Log).Text(n),
			"0.1235, 0.1235"},
		{"none", Percent().With(none, half) + ExactOf(none), None},
		{"exact", Exact(1.0/3) + " " + ExactOf(measure.Num(1e21)), "0.3333333333333333 1e+21"},
		{"not a number", Digits(4).Text(measure.Num(math.NaN())), "NaN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("%q, want %q", c.got, c.want)
			}
		})
	}
}

// TestForms writes one table in every form. Its cells need escaping.
func TestForms(t *testing.T) {
	table := New("a_b", "", "n", "verdict").Words(1, 3)
	table.Foot = "¹ a_b"
	table.Columns[2].Faint = true
	table.Columns[3].Tone = Tones(map[string]Tone{"yes": Good})
	table.Add("x|y", "5 % {&}", "1 ± 2*", "yes ¹")
	table.Add("\x1b[31m<i>\n", "χ² ≤ ρ", "−3", "λ")
	p := &Page{Title: "T", Blocks: []Block{table}}
	for _, c := range []struct{ name, got, want string }{
		{"Markdown", Markdown(table, Text("#1")),
			"| a\\_b |  | n | verdict |\n|---|---|---:|---|\n" +
				"| x\\|y | 5 % {&} | 1 ± 2\\* | yes ¹ |\n" +
				"| \\[31m&lt;i&gt; | χ² ≤ ρ | −3 | λ |\n\n¹ a\\_b\n\n\\#1\n\n"},
		{"LaTeX", LaTeX(table, Text("a\nb")), "\\begin{tabular}{llrl}\n\\toprule\n" +
			"a\\_b &  & n & verdict \\\\\n\\midrule\n" +
			"x|y & 5 \\% \\{\\&\\} & 1 $\\pm$ 2* & yes $^1$ \\\\\n" +
			"[31m\\textless{}i\\textgreater{} & " +
			"$\\chi^2$ $\\le$ $\\rho$ & $-$3 & $\\lambda$ \\\\\n" +
			"\\bottomrule\n\\multicolumn{4}{l}{\\footnotesize $^1$ a\\_b} \\\\\n" +
			"\\end{tabular}\n% a b\n"},
		{"HTML, below", p.HTML(), "</table></div>\n<p>¹ a_b</p>\n"},
		{"HTML", p.HTML(), `<tr><td class="text">x|y</td><td class="text">5 % {&amp;}</td>` +
			`<td class="faint">1 ± 2*</td>` +
			`<td class="text yes">yes ¹</td></tr>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(c.got, c.want) {
				t.Errorf("%s\nlacks\n%s", c.got, c.want)
			}
			if strings.ContainsRune(c.got, '\x1b') {
				t.Error("a terminal would obey it")
			}
		})
	}
	var b strings.Builder
	if err := table.CSV(&b); err != nil {
		t.Fatalf("CSV: %v", err)
	}
	const begins = "a_b,,n,verdict\nx|y,5 % {&},1 ± 2*,yes ¹\n"
	if got := b.String(); !strings.HasPrefix(got, begins) {
		t.Errorf("CSV writes %q, want it to begin with %q", got, begins)
	}
}

// The table of a figure has at most six epochs, and the last epoch is among them.
func TestFigureInNumbers(t *testing.T) {
	f := &Figure{Curves: []Curve{{Name: "a", Points: points(1, 2, 3, 4, 5, 6, 7, 8)},
		{Name: "b", Points: points(0, 1)}}}
	f.Curves[0].Points[7].Half = .25
	table := f.table()
	if got := strings.Join(table.Heads(), " "); got != "epoch 2 3 4 6 7 8" {
		t.Errorf("head %s, want epoch 2 3 4 6 7 8", got)
	}
	for i, want := range []string{"a 2 3 4 6 7 8.00 ± 0.25", "b 1 – – – – –"} {
		if got := strings.Join(table.Rows[i], " "); got != want {
			t.Errorf("row %s, want %s", got, want)
		}
	}
}
