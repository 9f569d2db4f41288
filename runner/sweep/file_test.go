package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func parse(t *testing.T, text string) *File {
	t.Helper()
	f, errs := Parse("mine.yaml", []byte(text))
	if len(errs) > 0 {
		t.Fatalf("Parse(%q): %v", text, errors.Join(errs...))
	}
	return f
}

const small = `
preset: csv
grid: {rho: [.1, 1], algo: [sfk, erm]}
random: {draws: 3, seed: 7, lr: {log: [0.001, 0.1]}, c: {log: [100, 10000]}}
seeds: 2
set: {epochs: 2, val_fraction: .2}
select: val_loss
`

func TestAllErrorsAtOnceWithTheirLines(t *testing.T) {
	text := `preset: csv
grid:
  roh: [1]
  lr: []
  epochs: [one]
random: {draws: 0, c: {log: [0, 1]}}
seeds: 0
set: {epochs: 3, mu: 2}
select: last
halving: {epochs: [5, 2], keep: 2}
nonsense: 1
learning_rate: 1
`
	_, errs := Parse("bad.yaml", []byte(text))
	all := errors.Join(errs...).Error()
	for _, want := range []string{
		"bad.yaml:3: unknown setting roh: did you mean rho?",
		"bad.yaml:4: grid: lr: expected a list",
		"bad.yaml:5: epochs: ",
		"bad.yaml:6: random: draws: 0",
		"bad.yaml:6: random: c: expected {log: [low, high]}",
		`bad.yaml:9: select: "last": expected a rule on the validation split: val_worst`,
		"bad.yaml:10: halving: epochs: expected one or more epochs, ascending",
		"bad.yaml:10: halving: keep: 2",
		`bad.yaml:11: "nonsense": expected one of preset`,
		"setup: write lr: VALUE below set, and lr: [VALUE, VALUE] below grid",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
}

// TestRulesOfSelection: a wrong rule gets one error, whose rules are all accepted.
func TestRulesOfSelection(t *testing.T) {
	const file = "preset: csv\nset: {val_fraction: .2}\nseeds: 1\ngrid: {rho: [1]}\nselect: "
	for _, value := range []string{"none", "last", "''", "[val_loss]", "{a: 1}", "null", "3"} {
		_, errs := Parse("a.yaml", []byte(file+value))
		if len(errs) != 1 {
			t.Errorf("select: %s has the errors %v, want one", value, errs)
			continue
		}
		_, list, ok := strings.Cut(errs[0].Error(), "expected a rule on the validation split: ")
		list, _, _ = strings.Cut(list, ": ") // what else helps
		rules := strings.Split(list, ", ")
		if !ok || len(rules) < 3 {
			t.Errorf("select: %s: %v: want a list of rules", value, errs[0])
			continue
		}
		for _, rule := range rules {
			if _, errs := Parse("a.yaml", []byte(file+rule)); len(errs) > 0 {
				t.Errorf("select: %s lists %s, which is refused: %v", value, rule, errs)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"seeds: 2":                                     "bad.yaml: expected a key preset",
		"preset: cvs":                                  "1: preset \"cvs\"",
		"preset: csv\nset: {mu: 2}":                    "2: mu: 2: expected a number in (0, 1)",
		"preset: csv\ngrid: {rho: [1, -1]}":            "2: rho: -1: expected a number > 0",
		"preset: csv\ngrid: {algo: [erm], c: [5]}":     "2: c: ",
		"preset: csv\ngrid: {algo: [sgd]}":             "2: algorithms",
		"preset: csv\ngrid: {rho: [1]}\nset: {rho: 2}": "3: rho: is already given in line 2",
		"preset: csv\ngrid: {seed: [1]}":               "2: grid: seed cannot vary",
		"preset: csv\nseeds: 0":                        "2: seeds: 0: expected a whole",
		"preset: csv\nrandom: {lr: [.1]}":              "2: random: expected how many draws",
		"preset: csv\nhalving: {epochs: [1]}":          "2: halving: expected the share to keep",
		"preset: csv\nhalving:\n  epochs: [1]":         "2: halving: expected the share to keep",
		"preset: csv\nhalving: {keep: .5}":             "2: halving: expected the epochs",
		"preset: csv\nrandom:\n  draws: 2":             "2: random: expected settings to draw",
		"preset: csv\nrandom:\n  lr: [.1]":             "2: random: expected how many draws",
		"preset: csv\nhalving: {epochs: [999], keep: .5}": "2: halving: epochs: 999: expected " +
			"fewer",

		"preset: csv\nseeds: 10000\nrandom: {draws: 99, lr: {log: [.1, 1]}}": "runs: expected at " +
			"most",
		"preset: csv\ngrid: &a {rho: [1]}":                "2: aliases",
		"preset: csv\ngrid: " + strings.Repeat("[", 1000): "too deep",
	} {
		_, errs := Parse("bad.yaml", []byte(text))
		if got := fmt.Sprint(errs); len(errs) == 0 || !strings.Contains(got, want) {
			t.Errorf("%.60q: %s, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small)
	f.Add("preset: csv\nhalving: {epochs: [1], keep: .5}\n" +
		"random: {draws: 2, k: {uniform: [1.1, 2]}}")
	f.Fuzz(func(t *testing.T, text string) {
		file, errs := Parse("x.yaml", []byte(text))
		if len(errs) == 0 && file.size() < 1000 && len(file.Expand().Runs) == 0 {
			t.Error("a sweep of nothing")
		}
	})
}

// BenchmarkExpand measures a sweep of 10 000 runs, from the text of its file to its list.
func BenchmarkExpand(b *testing.B) {
	text := "preset: csv\ngrid: {algo: [sfk, pgd, pan, erm]}\nseeds: 2\nset: {val_fraction: .2}\n" +
		"random: {draws: 1250, lr: {log: [.001, .1]}, rho: {log: [.001, .1]}}"
	for b.Loop() {
		f, errs := Parse("x.yaml", []byte(text))
		if len(errs) > 0 {
			b.Fatalf("Parse(%q): %v", text, errors.Join(errs...))
		}
		if n := len(f.Expand().Runs); n != 10_000 {
			b.Fatalf("the sweep has %d runs, want 10000", n)
		}
	}
}

// TestStudy: the study file that docs/sweeps.md compares with a script for submitit has the runs of
// the same study. The file and the script have the numbers of lines that the page states.
func TestStudy(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "sweeps.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for _, name := range []string{"study.yaml", "submitit.py"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				lines[name]++
			}
		}
		if name == "study.yaml" {
			if n := len(parse(t, string(text)).Expand().Runs); n != 144 {
				t.Errorf("%d runs, want 144", n)
			}
		}
	}
	says := fmt.Sprintf("| lines that the user writes | %d of YAML "+
		"(`study.yaml`) | %d of Python",
		lines["study.yaml"], lines["submitit.py"])
	if !strings.Contains(string(page), says) {
		t.Errorf("docs/sweeps.md does not say %q", says)
	}
}
