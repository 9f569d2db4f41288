package report

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/peertest"
	"drolab/runner/page"
	"drolab/runner/record/recordtest"
)

// hostileNames returns names that somebody else's file may have.
func hostileNames() []string {
	return []string{`<script src="//x">&|*_`, `\input{/etc/passwd}%$#~^` + "\nx"}
}

func hostilePage(t *testing.T) *page.Page {
	f := newFolder(t)
	for _, a := range []dro.Algorithm{dro.SFK, dro.PGD, dro.ERM} {
		for seed := uint64(1); seed <= 3; seed++ {
			f.Add(recordtest.Result{Method: a, Seed: seed, Rho: .5, Classes: hostileNames(),
				TrainLoss: .3 + recordtest.Deviation(seed*seed),
				Worst:     .4, Objective: []float64{3, math.NaN(), 2 + recordtest.Deviation(seed)}})
		}
	}
	return f.report().Page()
}

func TestHTMLIsWholeAndAlone(t *testing.T) {
	page := hostilePage(t).HTML()
	d := xml.NewDecoder(strings.NewReader(page))
	elements := map[string]int{}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			elements[e.Name.Local]++
			for _, a := range e.Attr {
				name := a.Name.Local
				if strings.HasPrefix(name, "on") || slices.Contains([]string{"src", "href"}, name) {
					t.Errorf("the page has <%s %s=%q>, want no such attribute", e.Name.Local, name,
						a.Value)
				}
			}
		}
	}
	if n := elements["script"]; n > 0 {
		t.Errorf("%d scripts, want none", n)
	}
	const want = 4 + 2 // curves, and what it costs
	if n := elements["svg"]; n != want {
		t.Errorf("%d figures, want %d", n, want)
	}
	if elements["polygon"] == 0 {
		t.Error("no figure has a band")
	}
	if n := elements["table"]; n < 4 {
		t.Errorf("%d tables, want 4 or more", n)
	}
	for _, word := range []string{"http:", "https:", "url(", "@import"} {
		if strings.Contains(page, word) {
			t.Errorf("the page has %q", word)
		}
	}
	if !strings.Contains(page, "prefers-color-scheme: dark") {
		t.Error("the page is of one colour scheme")
	}
}

// The LaTeX document has only the commands that a page writes, and its braces, environments and
// columns match.
func TestLaTeX(t *testing.T) {
	text := hostilePage(t).LaTeX()
	known := map[string]bool{}
	for _, c := range strings.Fields(`documentclass usepackage setlength parindent parskip newcommand fit sbox ifdim wd
		linewidth resizebox usebox else fi begin end section subsection item toprule midrule bottomrule textbackslash
		textasciitilde textasciicircum textless textgreater chi rho lambda eta mu varphi nabla pm times to le ge
		varepsilon alpha gamma ldots S surd cdot div`) {
		known[c] = true
	}
	command, lines := regexp.MustCompile(`\\([A-Za-z]+)`), strings.ReplaceAll(text, `\\`, " ")
	for _, m := range command.FindAllStringSubmatch(lines, -1) {
		if !known[m[1]] {
			t.Errorf(`the document has \%s`, m[1])
		}
	}
	bare := regexp.MustCompile(`\\[{}&%$#_\\]`).ReplaceAllString(text, " ")
	if open, closed := strings.Count(bare, "{"), strings.Count(bare, "}"); open != closed {
		t.Errorf("%d braces open and %d close, want as many", open, closed)
	}
	if n := strings.Count(bare, "$"); n%2 != 0 {
		t.Errorf("%d dollars, want an even number", n)
	}
	for _, m := range regexp.MustCompile(`(?s)\\begin\{tabular\}\{([lrp]+)\}(.*?)\\end\{tabular\}`).
		FindAllStringSubmatch(strings.ReplaceAll(text, `p{.55\linewidth}`, "p"), -1) {
		for row := range strings.SplitSeq(m[2], ` \\`+"\n") {
			row = strings.ReplaceAll(row, `\&`, "")
			if n := strings.Count(row, "&") + 1; n > 1 && n != len(m[1]) {
				t.Errorf("a row has %d cells, want %d: %s", n, len(m[1]), row)
			}
		}
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r > 0x17f }); i >= 0 {
		t.Errorf("a letter that LaTeX does not know: %q", text[i:i+10])
	}
}

// TestLaTeXCompiles compiles the document where TeX is installed.
func TestLaTeXCompiles(t *testing.T) {
	tex := peertest.Program(t, "pdflatex")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "r.tex"), []byte(hostilePage(t).LaTeX()),
		0o644); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(tex, "-interaction=nonstopmode", "-halt-on-error", "r.tex")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("pdflatex: %v\n%s", err, out[max(0, len(out)-1500):])
	}
}

// Every row of a table in the Markdown page has as many cells as the head of the table.
func TestMarkdown(t *testing.T) {
	columns, tables := 0, 0
	for line := range strings.Lines(hostilePage(t).Markdown()) {
		n := strings.Count(strings.ReplaceAll(strings.TrimSpace(line), `\|`, ""), "|")
		if !strings.HasPrefix(line, "|") {
			n = 0
		}
		switch {
		case n > 0 && columns == 0:
			columns, tables = n, tables+1
		case n > 0 && n != columns:
			t.Errorf("a row has %d bars, want %d as its head: %s", n, columns, line)
		}
		if n == 0 {
			columns = 0
		}
		if strings.Contains(line, "<script") {
			t.Errorf("the page has a script: %s", line)
		}
	}
	if tables < 6 {
		t.Errorf("%d tables, want 6 or more", tables)
	}
}

// TestReplace puts parts of the report between their marks, and changes nothing else in the text.
func TestReplace(t *testing.T) {
	f := newFolder(t)
	f.addPaperArms(.5)
	r := f.report()
	const begin, end = "<!-- report: begin, made by hand -->", "<!-- report: end -->"
	const short, shortEnd = "<!-- report in short: begin -->", "<!-- report in short: end -->"
	for _, c := range []struct {
		name, text string
		want       []string // in this order, the last at the end
		not        string
	}{
		{"the tables", "before\n" + begin + "\nold\n" + end + "\nafter\n",
			[]string{"before\n" + begin + "\n", "| claim, χ², ρ=0.5 |", end + "\nafter\n"}, "old"},
		{"in short", "before\n" + short + "\nold\n" + shortEnd + "\nafter\n",
			[]string{"before\n" + short + "\n", "| method | seeds |", "| χ², ρ=0.5: sfk c=1000 |",
				shortEnd + "\nafter\n"}, "claim"},
		{"both", short + "\n" + shortEnd + "\n" + begin + "\n" + end + "\n",
			[]string{short, "| method |", shortEnd, begin, "| claim, ", end + "\n"}, "old"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Replace(c.text, r)
			if err != nil {
				t.Fatal(err)
			}
			rest := got
			for _, part := range c.want {
				_, after, ok := strings.Cut(rest, part)
				if !ok {
					t.Errorf("no %q in its place:\n%s", part, got)
				}
				rest = after
			}
			if rest != "" {
				t.Errorf("%q follows the last part:\n%s", rest, got)
			}
			if strings.Contains(got, c.not) {
				t.Errorf("it still has %q:\n%s", c.not, got)
			}
			again, err := Replace(got, r)
			if err != nil {
				t.Fatal(err)
			}
			if again != got {
				t.Errorf("the second time it becomes\n%s\nwant\n%s", again, got)
			}
		})
	}
	const registered = "<!-- report of registered runs: "
	g, err := New(recorded(t, "registered"), nil, Options{Now: before})
	f.Must(err)
	got, err := Replace(registered+"begin -->\nold\n"+registered+"end -->\n", g)
	f.Must(err)
	if !strings.Contains(got, "0 of 120 runs") {
		t.Errorf("the passage of registered runs lacks %q:\n%s", "0 of 120 runs", got)
	}
	if strings.Contains(got, "old") {
		t.Errorf("the passage of registered runs still has %q:\n%s", "old", got)
	}
	for name, text := range map[string]string{
		"no marks": "text", "no end": begin + "\ntext", "another's end": begin + "\n" + shortEnd,
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := Replace(text, r); err == nil {
				t.Errorf("Replace(%q) = %q, want an error", text, got)
			}
		})
	}
}

// A method has the same colour and the same dash in all figures of a radius, even if another method
// is missing in one of them: here erm has no objective.
func TestMethodsLookAlikeInAllFigures(t *testing.T) {
	f := newFolder(t)
	for a, objective := range map[dro.Algorithm][]float64{
		dro.SFK: {3, 2, 1}, dro.ERM: nil, dro.SFKAuto: {4, 3, 2}} {
		f.Add(recordtest.Result{Method: a, Seed: 1, Rho: .5, TrainLoss: .3, Worst: .4,
			Objective: objective})
	}
	name := regexp.MustCompile(`<line( class="curve"[^/]*?) x1=[^/]*/><text[^>]*>([^<]*)<`)
	looks, times := map[string]string{}, 0
	for _, m := range name.FindAllStringSubmatch(f.report().Page().HTML(), -1) {
		if look, seen := looks[m[2]]; seen && look != m[1] {
			t.Errorf("%s is drawn as%s and as%s", m[2], look, m[1])
		}
		looks[m[2]] = m[1]
		times++
	}
	if len(looks) != 3 || times < 8 {
		t.Errorf("%d names of %d methods, want 8 or more of 3: %v", times, len(looks), looks)
	}
}

// A class without test samples has no accuracy: the report has a dash or null, and no NaN.
func TestClassWithoutSamples(t *testing.T) {
	f := newFolder(t)
	for _, a := range []dro.Algorithm{dro.SFK, dro.ERM} {
		for seed := uint64(1); seed <= 3; seed++ {
			f.Add(recordtest.Result{Method: a, Seed: seed, Rho: .5, Worst: .4,
				Accuracy: []float64{.8 + recordtest.Deviation(seed), math.NaN()}})
		}
	}
	r := f.report()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{"JSON": string(b), "Markdown": r.Page().Markdown(),
		"HTML": r.Page().HTML(), "LaTeX": r.Page().LaTeX()} {
		if at := strings.Index(text, "NaN"); at >= 0 {
			t.Errorf("%s has a NaN: …%s", form, text[max(0, at-200):at+3])
		}
	}
}
