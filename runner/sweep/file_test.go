package sweep

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func parse(t *testing.T, text string) *File {
	t.Helper()
	f, errs := Parse("mine.yaml", []byte(text))
	if len(errs) > 0 {
		t.Fatal(errors.Join(errs...))
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

func TestExpand(t *testing.T) {
	l := parse(t, small).Expand()
	// erm does not read c: 2 radii × 3 draws × 2 methods × 2 seeds.
	if len(l.Runs) != 24 || !slices.Equal(l.Keys, []string{"rho", "lr", "c"}) {
		t.Fatalf("%d runs over %v", len(l.Runs), l.Keys)
	}
	first, second := &l.Runs[0], &l.Runs[1]
	if first.Setting != second.Setting || first.Seed+1 != second.Seed || first.ID == second.ID {
		t.Errorf("seeds are not innermost: %+v, %+v", first, second)
	}
	for i, r := range l.Runs {
		s, err := l.Spec(i)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(); err != nil || s.Epochs != 2 || s.Select != "val_loss" ||
			s.Seeds != 1 {
			t.Errorf("run %d: %v, %+v", i, err, s)
		}
		if s.LR < .001 || s.LR > .1 {
			t.Errorf("run %d: lr %g is outside of its range", i, s.LR)
		}
		if got := newNamer(&s).id(l.Name, &s); got != r.ID {
			t.Errorf("run %d: named %s, its spec is %s", i, r.ID, got)
		}
		if _, ok := r.Values["c"]; ok != (r.Algorithm == "sfk") {
			t.Errorf("run %d of %s: varies in c: %v", i, r.Algorithm, ok)
		}
	}
	// Every draw occurs at every point of the grid.
	if a, b := l.Runs[0].Values["lr"], l.Runs[6].Values["lr"]; string(a) != string(b) {
		t.Errorf("the first draw is %s at one point and %s at another", a, b)
	}
}

func TestTheSameFileGivesTheSameList(t *testing.T) {
	ids := func(text string) (ids []string) {
		for _, r := range parse(t, text).Expand().Runs {
			ids = append(ids, r.ID)
		}
		return ids
	}
	a := ids(small)
	if !slices.Equal(a, ids(small)) {
		t.Error("twice the same file gives two lists")
	}
	// More draws keep the draws that there were, and another seed of the draws does not.
	more := ids(strings.Replace(small, "draws: 3", "draws: 5", 1))
	for _, id := range a {
		if !slices.Contains(more, id) {
			t.Errorf("with more draws %s is no more", id)
		}
	}
	if other := ids(strings.Replace(small, "seed: 7", "seed: 8", 1)); slices.Equal(a, other) {
		t.Error("the seed of the draws changes nothing")
	}
	// Names are permanent: a change here makes every existing sweep start anew.
	if got, want := a[0], "mine-sfk-s1-a7e6cdc12ff4967c"; got != want {
		t.Errorf("the first run is named %s, was %s", got, want)
	}
}

// beta1 varies for AdamW alone, and momentum is not read with it: no run occurs twice.
func TestSettingsVaryWhereTheyAreRead(t *testing.T) {
	l := parse(t, `
preset: csv
grid: {optimizer: [sgd, adamw], beta1: [.8, .9], momentum: [0, .9], algo: [erm]}
set: {epochs: 2, val_fraction: .2}
`).Expand()
	of := map[string]int{}
	for i, r := range l.Runs {
		s, err := l.Spec(i)
		if err != nil || s.Text("optimizer")+s.Text("beta1") == "sgd0.8" {
			t.Errorf("%v: %s with beta1 = %v", err, s.Optimizer, s.Beta1)
		}
		of[s.Optimizer]++
		if _, ok := r.Values["beta1"]; ok != (s.Optimizer == "adamw") {
			t.Errorf("%s varies in beta1: %v", s.Optimizer, ok)
		}
	}
	if of["sgd"] != 2 || of["adamw"] != 2 {
		t.Errorf("runs %v, want two of each", of)
	}
}

// TestMethodsVaryInWhatTheyRead: erm does not read c, and so has one run a seed.
func TestMethodsVaryInWhatTheyRead(t *testing.T) {
	l := parse(t, "preset: csv\ngrid: {c: [10, 100, 1000], algo: [sfk, erm]}\nset: "+
		"{val_fraction: .2}").Expand()
	counts := map[string]int{}
	for _, r := range l.Runs {
		counts[string(r.Algorithm)]++
	}
	if counts["sfk"] != 3 || counts["erm"] != 1 {
		t.Errorf("runs of each method: %v", counts)
	}
}

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
		`bad.yaml:3: "roh": unknown key: did you mean rho?`,
		"bad.yaml:4: grid: lr: want a list",
		"bad.yaml:5: epochs: ",
		"bad.yaml:6: random: draws: 0",
		"bad.yaml:6: random: c: want {log: [low, high]}",
		"bad.yaml:9: select: want a rule on the validation split: val_worst",
		"bad.yaml:10: halving: epochs: want one or more epochs, ascending",
		"bad.yaml:10: halving: keep: 2",
		`bad.yaml:11: "nonsense": want one of preset`,
		"halving: write lr: VALUE below set, and lr: [VALUE, VALUE] below grid",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"seeds: 2":                                        "1: preset: nothing",
		"preset: cvs":                                     "1: preset \"cvs\"",
		"preset: csv\nset: {mu: 2}":                       "2: mu: 2: want a number in (0, 1)",
		"preset: csv\ngrid: {rho: [1, -1]}":               "2: rho: -1: want a number > 0",
		"preset: csv\ngrid: {algo: [erm], c: [5]}":        "2: c: ",
		"preset: csv\ngrid: {algo: [sgd]}":                "2: algorithms",
		"preset: csv\ngrid: {rho: [1]}\nset: {rho: 2}":    "3: rho: is already given in line 2",
		"preset: csv\ngrid: {seed: [1]}":                  "2: grid: seed cannot vary",
		"preset: csv\nseeds: 0":                           "2: seeds: 0: want a whole",
		"preset: csv\nrandom: {lr: [.1]}":                 "2: random: want how many draws",
		"preset: csv\nhalving: {epochs: [1]}":             "2: halving: want the share to keep",
		"preset: csv\nhalving: {epochs: [999], keep: .5}": "2: halving: epochs: 999: want fewer",

		"preset: csv\nseeds: 10000\nrandom: {draws: 99, lr: {log: [.1, 1]}}": "runs: want at most",
		"preset: csv\ngrid: &a {rho: [1]}":                                   "2: aliases",
		"preset: csv\ngrid: " + strings.Repeat("[", 1000):                    "too deep",
	} {
		_, errs := Parse("bad.yaml", []byte(text))
		if got := fmt.Sprint(errs); len(errs) == 0 || !strings.Contains(got, want) {
			t.Errorf("%.60q: %s, want %q", text, got, want)
		}
	}
}

// TestValidationIsAskedForBeforeAnythingStarts: a sweep whose runs have nothing to be selected by
// is refused with the line, the setting and the remedy.
func TestValidationIsAskedForBeforeAnythingStarts(t *testing.T) {
	base := "preset: csv\ngrid: {algo: [erm]}\n"
	for text, want := range map[string]string{
		"select: val_loss\nset: {val_fraction: .1}":  "",
		"select: val_worst\nset: {val_fraction: .3}": "",
		// The file may exist where the sweep trains.
		"set: {dataset: csv:no.csv, val_fraction: .1}\nselect: val_loss": "",
		"set: {val_fraction: 0}\nselect: val_loss": "mine.yaml:4: select: val_loss: csv:example " +
			"has no validation split to choose by: set a val_fraction above 0",
		"set: {val_fraction: 0}": "mine.yaml:3: select: val_worst: csv:example has no",

		"grid: {val_fraction: [.2, 0]}\nselect: val_loss": "has no validation split",
		"set: {val_fraction: .1, min_group: 100000}":      "select: val_worst: want two parts of",
		"set: {dataset: csv:no.csv, val_fraction: 0}":     "cannot be told",
	} {
		both := base + text + "\n"
		if strings.HasPrefix(text, "grid") {
			both = "preset: csv\n" + text
		}
		errs := parse(t, both).CheckData(t.TempDir(), "")
		if got := fmt.Sprint(errs); want == "" && len(errs) > 0 || !strings.Contains(got, want) {
			t.Errorf("%s:\n%s, want %q", text, got, want)
		}
		if want != "" && len(errs) != 1 {
			t.Errorf("%s: %d errors", text, len(errs))
		}
	}
}

// TestMethodsSuitTheDataBeforeAnythingStarts: methods that read the groups of training samples are
// refused where these have none, each once, and the others of the sweep are not.
func TestMethodsSuitTheDataBeforeAnythingStarts(t *testing.T) {
	dir, text := t.TempDir(), "x,place,label,split\n"
	for i := range 90 {
		split, place := []string{"train", "val", "test"}[i/30], []string{"land", "water"}[i/2%2]
		if split == "train" {
			place = ""
		}
		text += fmt.Sprintf("%d,%s,%d,%s\n", i, place, i%2, split)
	}
	if err := os.WriteFile(filepath.Join(dir, "places.csv"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	errs := parse(t, "preset: csv\ngrid: {algo: [erm, group, dfr, subsample], lr: [.1, .01]}\n"+
		"select: val_loss\n"+`set: {val_fraction: 0, min_group: 5, dataset: "csv:places.csv?`+
		`label=label&group=place&split=split&missing=category"}`).CheckData(dir, "")
	if len(errs) != 2 {
		t.Fatalf("%d errors, want 2: %v", len(errs), errs)
	}
	for i, method := range []string{"group", "subsample"} {
		want := fmt.Sprintf("mine.yaml:2: algorithm %s: it reads the groups of training samples, "+
			"and none of these has a known group", method)
		if got := errs[i].Error(); !strings.HasPrefix(got, want) {
			t.Errorf("%s, want %q", got, want)
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
		if len(errs) > 0 || len(f.Expand().Runs) != 10_000 {
			b.Fatal(errs)
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
