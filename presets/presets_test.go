package presets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner/spec"

	"github.com/google/go-cmp/cmp"
)

func TestEveryFileIsListed(t *testing.T) {
	found, err := fs.Glob(files, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, name := range names() {
		listed = append(listed, name+".yaml")
	}
	slices.Sort(listed)
	if !slices.Equal(found, listed) {
		t.Errorf("embedded %v, listed %v", found, listed)
	}
}

func TestEmbeddedPresetsAreValidAndExplained(t *testing.T) {
	for _, name := range names() {
		p, err := loadEmbedded(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Doc == "" || len(p.Doc) > 100 {
			t.Errorf("%s: doc line %q: want 1 to 100 letters", name, p.Doc)
		}
		if err := p.Spec.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, key := range p.Overrides {
			if p.Reasons[key] == "" {
				t.Errorf("%s: %s has no reason: write one as a comment on its line", name, key)
			}
		}
	}
}

// TestPaper compares the presets of the paper with the numbers of math.md §6.
func TestPaper(t *testing.T) {
	want := spec.Spec{
		Algorithms: []dro.Algorithm{dro.SFK, dro.PGD, dro.PAN, dro.ERM}, Seeds: 4,
		Dataset: "cifar10", Model: "alexnet",
		Mean: []float64{.4914, .4822, .4465}, Std: []float64{.2470, .2435, .2616}, Augment: true,
		Init: "torch", Pad: "black", Uncertainty: "cressie-read", K: 2, Rho: 1.5,
		Coordinates: "paper",
		Lambda0:     .1, LambdaMax: dro.Fixed(10),
		EtaMin: dro.Fixed(-10), EtaMax: 10, Lambda: 1, Eta: 0, Batch: 128,
		LR: .01, LRDropEpoch: 40, LRDrop: .1, Momentum: .9, WeightDecay: 0, Epochs: 50,
	}
	p, err := Load("paper")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range p.Overrides {
		if key == "imbalance" {
			continue // a word; its ratios are checked below
		}
		if got, expected := p.Spec.Text(key), want.Text(key); got != expected {
			t.Errorf("paper: %s = %s, want %s", key, got, expected)
		}
	}
	if got := p.Spec.Imbalance.Ratios("cifar10"); len(got) != 10 || got[5] != .285 {
		t.Errorf("paper: imbalance is %v, want 10 ratios, the sixth 0.285", got)
	}
	gentle, err := Load("paper-gentle")
	if err != nil {
		t.Fatal(err)
	}
	gentle.Spec.Rho = 1.5
	if !gentle.Spec.Equal(&p.Spec) {
		t.Errorf("paper-gentle differs from paper in more than rho")
	}
}

func TestSet(t *testing.T) {
	cases := []struct {
		assignment string
		want       func(*spec.Spec) bool
	}{
		{"rho=1e-3", func(s *spec.Spec) bool { return s.Rho == 1e-3 }},
		{"rho= .25", func(s *spec.Spec) bool { return s.Rho == .25 }},
		{"epochs=3", func(s *spec.Spec) bool { return s.Epochs == 3 }},
		{"seed=18446744073709551615", func(s *spec.Spec) bool { return s.Seed == 1<<64-1 }},
		{"augment=false", func(s *spec.Spec) bool { return !s.Augment }},
		{"lambda_max=7", func(s *spec.Spec) bool { return s.LambdaMax.Or(0) == 7 }},
		{"imbalance=none", func(s *spec.Spec) bool { return s.Imbalance.Ratios("shapes") == nil }},
		{"imbalance=[1, .5]", func(s *spec.Spec) bool {
			return slices.Equal(s.Imbalance.Ratios("shapes"), []float64{1, .5})
		}},
		{"algorithms=[erm]", func(s *spec.Spec) bool {
			return slices.Equal(s.Algorithms, []dro.Algorithm{dro.ERM})
		}},
		{"mean=[1e-1, 2]", func(s *spec.Spec) bool {
			return slices.Equal(s.Mean, []float64{.1, 2})
		}},
		{"dataset=my table.csv", func(s *spec.Spec) bool { return s.Dataset == "my table.csv" }},
		{`dataset="csv:a=b.csv?label=y"`,
			func(s *spec.Spec) bool { return s.Dataset == "csv:a=b.csv?label=y" }},
	}
	for _, c := range cases {
		t.Run(c.assignment, func(t *testing.T) {
			s := spec.Defaults()
			if err := Set(&s, c.assignment); err != nil {
				t.Fatalf("Set(%q): %v", c.assignment, err)
			}
			if !c.want(&s) {
				t.Errorf("Set(%q) makes the spec %+v", c.assignment, s)
			}
		})
	}
}

// TestListsAreTypedInBothForms: each setting that takes a list takes it with and without brackets,
// and a line of assignments may have blanks within a list.
func TestListsAreTypedInBothForms(t *testing.T) {
	lists := map[reflect.Type]string{reflect.TypeFor[[]dro.Algorithm](): "sfk, erm",
		reflect.TypeFor[[]int](): "64, 32", reflect.TypeFor[[]float64](): "0.5, 0.25",
		reflect.TypeFor[spec.Imbalance](): "0.5, 0.25"}
	for _, st := range spec.AllSettings() {
		if !st.MayBeList() {
			continue
		}
		field := reflect.TypeFor[spec.Spec]()
		var text string
		for i := range field.NumField() {
			if field.Field(i).Tag.Get("key") == st.Key {
				text = lists[field.Field(i).Type]
			}
		}
		if text == "" {
			t.Fatalf("%s: its type has no example here", st.Key)
		}
		want := "[" + text + "]"
		for _, typed := range []string{want, text, strings.ReplaceAll(text, " ", "")} {
			s := spec.Defaults()
			line := Assignments("rho=.5 " + st.Key + "=" + typed + " epochs=3")
			if len(line) != 3 {
				t.Fatalf("%q is split into %q, want 3 assignments", typed, line)
			}
			for _, one := range line {
				if err := Set(&s, one); err != nil {
					t.Fatalf("%s: %v", one, err)
				}
			}
			if got := s.Text(st.Key); got != want || s.Epochs != 3 {
				t.Errorf("%s=%s sets %s, want %s", st.Key, typed, got, want)
			}
		}
	}
}

func TestSetRefuses(t *testing.T) {
	cases := []struct{ assignment, want string }{
		{"rho", "key=value"},
		{"rhoo=1", "did you mean rho?"},
		{"epoch=1", "did you mean epochs?"},
		{"Rho=1", "unknown setting Rho: "},
		{"=1", `unknown setting "": `},
		{"rho=", "rho: nothing: expected a number"},
		{"rho=wide", `rho: "wide": expected a number`},
		{"rho=.nan", "rho: NaN: expected a number"},
		{"rho=1\nk: 2", "one value"},
		{"epochs=1.5", "epochs: 1.5: expected a whole number"},
		{"epochs=99999999999999999999", "expected a whole number"},
		{"seed=-1", "expected a whole number ≥ 0"},
		{"augment=maybe", "true or false"},
		{"c=auto", "a number > 0"},
		{"imbalance=half", "auto, paper, paper-drawn, none or a list"},
		{"algorithms=", "a list"},
		{"algorithms={a: b}", "a list"},
		{"mean=[a]", "a list of numbers"},
		{"mean=[1", "one value"},
		{"dataset=[a]", "expected text"},
	}
	for _, c := range cases {
		t.Run(c.assignment, func(t *testing.T) {
			s := spec.Defaults()
			err := Set(&s, c.assignment)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("Set(%q) = %v, want an error with %q", c.assignment, err, c.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("Set(%q) = %q, want one line", c.assignment, err)
			}
			if strings.Contains(err.Error(), "no parts") {
				t.Errorf("Set(%q) = %v, with the hint for a mapping", c.assignment, err)
			}
			if !reflect.DeepEqual(s, spec.Defaults()) {
				t.Errorf("Set(%q) failed and changed the spec", c.assignment)
			}
		})
	}
}

func TestSetSharesNothing(t *testing.T) {
	a := spec.Defaults()
	a.Mean = []float64{1, 2, 3}
	b := a
	if err := Set(&b, "mean=[7, 8, 9]"); err != nil {
		t.Fatal(err)
	}
	if a.Mean[0] != 1 {
		t.Errorf("setting a copy's mean changed the original: %v", a.Mean)
	}
}

func TestUnknownKeyIsAKeyOfNoSpec(t *testing.T) {
	spec := spec.Defaults()
	spec.Algorithms = dro.Algorithms()
	for _, key := range Keys() {
		of := spec
		switch key {
		case "program_patience", "weights", "checkpoint_gb": // only runs of programs have them
			of.Model = "program:train.py"
		}
		text, err := json.Marshal(of)
		if err != nil {
			t.Fatal(err)
		}
		var spec map[string]any
		if err := json.Unmarshal(text, &spec); err != nil {
			t.Fatal(err)
		}
		if _, ok := spec[key]; !ok {
			t.Errorf("key %q is not in the JSON of a Spec", key)
		}
	}
}

func TestLoadFile(t *testing.T) {
	path := write(t, "mine.yaml", "doc: my own\n# wide, because\nrho: 2 # I can\nepochs: 1\n")
	p, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "mine" {
		t.Errorf("the name is %q, want mine", p.Name)
	}
	if p.Doc != "my own" {
		t.Errorf("the doc line is %q, want %q", p.Doc, "my own")
	}
	if p.Spec.Rho != 2 {
		t.Errorf("rho is %v, want 2", p.Spec.Rho)
	}
	if p.Spec.Epochs != 1 {
		t.Errorf("epochs is %d, want 1", p.Spec.Epochs)
	}
	if want := spec.Defaults().K; p.Spec.K != want {
		t.Errorf("k is %v, want the default, %v", p.Spec.K, want)
	}
	if got := p.Reasons["rho"]; got != "wide, because I can" {
		t.Errorf("reason of rho = %q", got)
	}
	if want := []string{"rho", "epochs"}; !slices.Equal(p.Overrides, want) {
		t.Errorf("overrides %v, want %v", p.Overrides, want)
	}
}

func TestLoadRefuses(t *testing.T) {
	cases := []struct{ text, want string }{
		{"rho: 1\nepoch: 2\n", "bad.yaml:2: unknown setting epoch: did you mean epochs?"},
		{"rho: 1\nrho: 2\n", "bad.yaml:2: "},
		{"rho:\n", "bad.yaml:1: rho: nothing: expected a number"},
		{"\n\nk: two\n", "bad.yaml:3: k: \"two\": expected a number"},
		{"- rho\n", "key: value"},
		{"rho\n", "key: value"},
		{"a: [1\n", "bad.yaml:1: "},
		{"rho: 1\n---\nk: 2\n", "several"},
		{"doc: [a]\n", "bad.yaml:1: doc: "},
		{"rho: *x\n", "bad.yaml:1: aliases"},
		{"algorithms: [erm]\nc: 5\n",
			"bad.yaml:2: c: 5: expected a method that reads it (sfk): erm does not"},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			path := write(t, "bad.yaml", c.text)
			_, err := Load(path)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("Load() of %q = %v, want an error with %q", c.text, err, c.want)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("Load() of %q = %q, want one line", c.text, err)
			}
		})
	}
}

func TestLoadNames(t *testing.T) {
	_, err := Load("paper-gentel")
	if err == nil || !strings.Contains(err.Error(), "choose one of paper-gentle, ") {
		t.Errorf("Load() of a mistyped name = %v, want an error with the names", err)
	}
	_, err = Load("dir/none.yaml")
	if err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("Load() of a missing file = %v, want an error with %q", err, "does not exist")
	}
	_, err = Load(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "expected a YAML file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err = Load(write(t, "big.yaml", strings.Repeat("#\n", maxFile))); err == nil {
		t.Error("a huge file is read")
	}
}

// TestBombs: text that grows when it is parsed is refused, in files and in --set, and costs no more
// memory than its size warrants.
func TestBombs(t *testing.T) {
	laughs := "mean: [&a0 [1, 1]"
	for i := range 8 {
		laughs += fmt.Sprintf(", &a%d [*a%d, *a%d, *a%d, *a%d]", i+1, i, i, i, i)
	}
	for name, text := range map[string]string{
		"brackets": "mean: " + strings.Repeat("[", 60_000),
		"braces":   "mean: " + strings.Repeat("{a: ", 15_000),
		"dashes":   "mean:\n" + strings.Repeat("- ", 30_000) + "1",
		"colons":   strings.Repeat("a: ", 20_000),
		"keys":     "mean:\n " + strings.Repeat("? ", 30_000),
		"laughs":   laughs + "]",
		"steps":    "mean:\n" + steps(300),
		"long":     "mean: [" + strings.Repeat("1,", 20_000) + "1]",
		"huge":     "mean: [" + strings.Repeat("1,", 1_000_000) + "1]",
	} {
		for way, read := range map[string]func() error{
			"file": func() error { _, err := parse("bad.yaml", []byte(text)); return err },
			"--set": func() error {
				s := spec.Defaults()
				return Set(&s, "mean="+strings.TrimPrefix(text, "mean: "))
			},
		} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := read()
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Errorf("%s by %s is taken, want an error", name, way)
			} else if n := len(err.Error()); n > 1000 {
				t.Errorf("the error of %s by %s has %d bytes, want at most 1000: %.300v", name, way,
					n, err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 100<<20 {
				t.Errorf("%s by %s takes %d MB", name, way, took>>20)
			}
		}
	}
}

// steps returns n nested YAML lists, each on a line of its own.
func steps(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "-\n")
	}
	return b.String()
}

func FuzzSet(f *testing.F) {
	for _, s := range []string{"rho=1", "mean=[1, 2]", "c=auto", "rho=*x", "a=[[[[[",
		"dataset=csv:a?b=c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, assignment string) {
		s := spec.Defaults()
		if Set(&s, assignment) != nil && !reflect.DeepEqual(s, spec.Defaults()) {
			t.Errorf("%q fails and changes the spec", assignment)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, name := range names() {
		text, err := files.ReadFile(name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("a: &x [*x]\nrho: *x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parse("f.yaml", text)
		if err == nil && len(p.Overrides) > len(Keys()) {
			t.Errorf("%d overrides of %d keys", len(p.Overrides), len(Keys()))
		}
		var key *spec.KeyError
		if errors.As(err, &key) && key.Want == "" {
			t.Errorf("%v says not what is allowed", err)
		}
	})
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAllErrorsOfAFileAtOnce: all errors of a file are reported at once, in the order of its lines,
// whether they concern a key, the form of a value or the value itself. Settings are checked against
// each other only where each of them can be used.
func TestAllErrorsOfAFileAtOnce(t *testing.T) {
	text := "doc: x\nalgorithms: [sfk, ermm]\nmodel: linar\n" +
		"lambda0: much\nlambda: 0.05\nwibble: 3\n"
	_, err := parse("mine.yaml", []byte(text))
	var wrong Errors
	if !errors.As(err, &wrong) {
		t.Fatal(err)
	}
	var places []string
	for _, e := range wrong {
		place, _, _ := strings.Cut(e.Error(), ": ")
		places = append(places, place)
	}
	want := []string{"mine.yaml:2", "mine.yaml:3", "mine.yaml:4", "mine.yaml:6"}
	if !slices.Equal(places, want) {
		t.Errorf("errors %q at %v, want %v", wrong, places, want)
	}
}

// TestBaselinesAreAllMethods: the preset baselines runs every method.
func TestBaselinesAreAllMethods(t *testing.T) {
	p, err := Load("baselines")
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(slices.Values(p.Spec.Algorithms))
	var want []dro.Algorithm
	for _, m := range dro.Methods() {
		want = append(want, m.Name)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the methods of baselines differ from all (-want +got):\n%s", diff)
	}
}
