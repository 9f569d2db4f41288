package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"drolab/presets"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/report"
	"drolab/runner/spec"
	"drolab/runner/sweep"
	"drolab/tui/cli/console"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/launch"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// numberForm is a form in which people write a number. Each place where one is wanted reads it as
// the whole number or as the real number, or refuses it with the remedy.
type numberForm struct {
	text        string
	whole, real string // in decimal; "": refused
	remedy      string // where it is refused
}

func numberForms() []numberForm {
	const huge = "it is out of range"
	return []numberForm{
		{"8", "8", "8", ""},
		{"010", "10", "10", ""},
		{"0010.5", "", "10.5", ""},
		{"08", "8", "8", ""},
		{"1_000", "1000", "1000", ""},
		{"1e3", "1000", "1000", ""},
		{"1E3", "1000", "1000", ""},
		{"1.5e0", "", "1.5", ""},
		{"+8", "8", "8", ""},
		{"-0", "0", "0", ""},
		{" 8 ", "8", "8", ""},
		{".5", "", "0.5", ""},
		{"5.", "5", "5", ""},
		{"9223372036854775808", "9223372036854775808", "9.223372036854776e+18", huge},
		{"18446744073709551616", "", "1.8446744073709552e+19", huge},
		{"0x10", "", "", "write 16"},
		{"0b1", "", "", "write 1"},
		{"0o7", "", "", "write 7"},
		{"1__0", "", "", "write 10"},
		{"８", "", "", "write 8"},
		{"1,000", "", "", "write 1000"},
		{"1e400", "", "", huge},
		{"1e-400", "", "", huge},
		{"inf", "", "", "it is not finite"},
		{"nan", "", "", "it is not finite"},
		{"1e", "", "", ""},
		{"eight", "", "", ""},
	}
}

// place is where a number is written. It returns what was read.
type place struct {
	name string
	real bool // a real number is wanted, and not a whole one
	// signed tells that the whole number is one of 64 bits with a sign.
	signed bool
	read   func(t *testing.T, text string) (got string, err error)
	// other is a sign that means something else there. Forms with it are not tried.
	other string
}

// TestOneRuleForNumbers: every place reads the numbers that people write by one rule.
func TestOneRuleForNumbers(t *testing.T) {
	places := slices.Concat(presetPlaces(), sweepPlaces(), studyPlaces(), flagPlaces(),
		launchPlaces(t), queryPlaces(t))
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			for i, f := range numberForms() {
				if testing.Short() && i%14 > 0 {
					continue
				}
				if p.other != "" && strings.Contains(f.text, p.other) {
					continue
				}
				want := f.whole
				if p.real {
					want = f.real
				} else if _, err := strconv.ParseInt(want, 10, 64); p.signed && err != nil {
					want = ""
				}
				got, err := p.read(t, f.text)
				if want != "" {
					if err != nil || got != want {
						t.Errorf("%q is %q, %v; want %s", f.text, got, err, want)
					}
					continue
				}
				if err == nil {
					t.Errorf("%q is read as %s", f.text, got)
					continue
				}
				line, word := err.Error(), strings.TrimSpace(f.text)
				named := strings.Contains(line, word) ||
					f.real != "" && strings.Contains(line, f.real)
				if !named {
					t.Errorf("%q: %s; want the word or the number", f.text, line)
				}
				if !strings.Contains(line, f.remedy) ||
					f.remedy == "" && strings.Contains(line, "write ") {
					t.Errorf("%q: %s; want the remedy %q", f.text, line, f.remedy)
				}
				if strings.Contains(line, "\n") {
					t.Errorf("%q: %s; want one line", f.text, line)
				}
			}
		})
	}
}

// The whole number and the real number of a Spec that the places set.
const wholeKey, realKey = "seed", "weight_decay"

func ofSpec(s *spec.Spec, key string) string {
	if key == wholeKey {
		return strconv.FormatUint(s.Seed, 10)
	}
	return strconv.FormatFloat(s.WeightDecay, 'g', -1, 64)
}

func presetPlaces() []place {
	var list []place
	for _, key := range []string{wholeKey, realKey} {
		yaml := func(form string) func(t *testing.T, text string) (string, error) {
			return func(t *testing.T, text string) (string, error) {
				file := filepath.Join(t.TempDir(), "mine.yaml")
				line := fmt.Sprintf("%s: "+form+"\n", key, text)
				if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
					t.Fatal(err)
				}
				p, err := presets.Load(file)
				return ofSpec(&p.Spec, key), err
			}
		}
		set := func(_ *testing.T, text string) (string, error) {
			s := spec.Defaults()
			err := presets.Set(&s, key+"="+text)
			return ofSpec(&s, key), err
		}
		list = append(list,
			place{"preset, " + key, key == realKey, false, yaml("%s"), ""},
			place{"preset in quotes, " + key, key == realKey, false, yaml("%q"), ""},
			place{"--set, " + key, key == realKey, false, set, ""})
	}
	knob := func(_ *testing.T, text string) (string, error) {
		s := spec.Defaults()
		s.Algorithms = s.Algorithms[:1]
		_, after, err := s.Turn("lr", text) // which is above 0
		return after.String(), err
	}
	return append(list, place{"knob", true, false, knob, "-"})
}

func sweepPlaces() []place {
	type reader = func(*testing.T, string) (string, error)
	parsed := func(of func(f *sweep.File) string, form string) reader {
		return func(_ *testing.T, text string) (string, error) {
			f, errs := sweep.Parse("mine.yaml", fmt.Appendf(nil, form, text))
			if len(errs) > 0 {
				return "", errors.Join(errs...)
			}
			return of(f), nil
		}
	}
	first := func(key string) func(f *sweep.File) string {
		return func(f *sweep.File) string {
			s, err := f.Expand().Spec(0)
			if err != nil {
				return err.Error()
			}
			return ofSpec(&s, key)
		}
	}
	drawn := func(f *sweep.File) string { return strconv.FormatUint(f.Random.Seed, 10) }
	return []place{
		{"sweep, set, seed", false, false,
			parsed(first(wholeKey), "preset: shapes\nset:\n  seed: %s\n"), ""},
		{"sweep, set, weight_decay", true, false,
			parsed(first(realKey), "preset: shapes\nset:\n  weight_decay: %s\n"), ""},
		{"sweep, grid", true, false,
			parsed(first(realKey), "preset: shapes\ngrid:\n  weight_decay:\n    - %s\n"), ""},
		{"sweep, grid in quotes", true, false,
			parsed(first(realKey), "preset: shapes\ngrid:\n  weight_decay:\n    - %q\n"), ""},
		{"sweep, list to draw from", true, false, parsed(first(realKey),
			"preset: shapes\nrandom:\n  draws: 1\n  weight_decay:\n    - %q\n"), ""},
		{"sweep, seed of the draws", false, false, parsed(drawn,
			"preset: shapes\nrandom:\n  draws: 1\n  lr: {log: [0.01, 0.1]}\n  seed: %s\n"), ""},
	}
}

func studyPlaces() []place {
	const study = "study: numbers\nseeds:%s\narms:\n  a:\n    preset: shapes\n" +
		"    method: erm\n    weight_decay: %s\n  b: {preset: shapes, method: sfk}\n" +
		"families:\n  main:\n    claims:\n      - measure: test_loss\n" +
		"        arms: [a, b]\n        direction: less\n        says: is worse than\n" +
		"        margin: %s\n"
	read := func(of func(s *report.Study) string, words ...any) (string, error) {
		s, errs := report.ParseStudy("mine.yaml", fmt.Appendf(nil, study, words...))
		if len(errs) > 0 {
			return "", errors.Join(errs...)
		}
		return of(s), nil
	}
	seed := func(s *report.Study) string { return strconv.FormatUint(s.Seeds[0], 10) }
	arm := func(s *report.Study) string { return ofSpec(&s.Arms[0].Specs[0], realKey) }
	margin := func(s *report.Study) string {
		return strconv.FormatFloat(s.Families[0].Claims[0].Margin, 'g', -1, 64)
	}
	return []place{
		{"study, seeds", false, false, func(_ *testing.T, text string) (string, error) {
			return read(seed, "\n  - "+text, "1", "1")
		}, ""},
		{"study, range of seeds", false, false, func(_ *testing.T, text string) (string, error) {
			return read(seed, " "+text+"-"+text, "1", "1")
		}, "-"},
		{"study, arm", true, false, func(_ *testing.T, text string) (string, error) {
			return read(arm, " [1]", text, "1")
		}, ""},
		{"study, margin", true, false, func(_ *testing.T, text string) (string, error) {
			return read(margin, " [1]", "1", text)
		}, ""},
	}
}

// flagPlaces returns a flag of each type that the library has for numbers, and the flags that take
// a number among other things. TestNumbersOfFlags has all flags for numbers.
func flagPlaces() (list []place) {
	for _, of := range []struct {
		command, flag string
		real, signed  bool
		divider       string
	}{
		{"run", "seed", false, false, ""},         // uint64
		{"run", "seeds", false, true, ""},         // int
		{"record", "checkpoint", false, true, ""}, // int64
		{"risk", "rho", true, false, ""},          // float64
		{"certify", "rho", true, false, ","},      // float64Slice
	} {
		list = append(list, place{of.command + " --" + of.flag, of.real, of.signed,
			func(t *testing.T, text string) (string, error) {
				flag, err := parseFlag(t, of.command, of.flag, text)
				if text := strings.Trim(flag.Value.String(), "[]"); of.divider != "" && err == nil {
					x, err := strconv.ParseFloat(text, 64)
					return strconv.FormatFloat(x, 'g', -1, 64), err
				}
				return flag.Value.String(), err
			}, of.divider})
	}
	from := func(_ *testing.T, text string) (string, error) {
		p, err := lab.ParsePlace(text)
		return strconv.FormatInt(p.Step, 10), err
	}
	return append(list, place{"replay --from", false, true, from, ""})
}

// parseFlag gives a command one flag, and returns it with the error that the program would print.
func parseFlag(t *testing.T, command, name, text string) (*pflag.Flag, error) {
	t.Helper()
	all := root(console.New(console.Env{}))
	console.ReadNumbers(all)
	c, _, err := all.Find(strings.Fields(command))
	if err != nil {
		t.Fatal(err)
	}
	if err = c.ParseFlags([]string{"--" + name + "=" + text}); err != nil {
		err = c.FlagErrorFunc()(c, err)
	}
	return c.Flags().Lookup(name), err
}

// launchPlaces types numbers into the fields of the page Launch, and starts the runs.
func launchPlaces(t *testing.T) (list []place) {
	starter := &tuitest.Starter{}
	l := tuitest.NewLab(t, tuitest.NewArchive(t),
		lab.Config{Verbs: starter, Processor: lab.Processor{CPU: "a processor"}}, 120, 60)
	page := launch.New(l, tuitest.Presets)
	r := tuitest.NewDriver(l, page)
	to := func(key, step string) { // moves the cursor to the field key
		field := regexp.MustCompile("▸.. ?" + key + " ")
		for n := 0; !field.MatchString(screen(r)); n++ {
			if r.Press(step); n == 99 {
				t.Fatalf("no field %s:\n%s", key, screen(r))
			}
		}
	}
	r.Press("tab")
	to("samples", "down") // few are soon drawn
	r.Press("e", "ctrl+u")
	r.Type("200")
	r.Press("enter")
	to(wholeKey, "up")
	r.Press("tab")
	for _, key := range []string{wholeKey, realKey} {
		list = append(list, place{"Launch, " + key, key == realKey, false,
			func(t *testing.T, text string) (string, error) {
				starter.Requests = nil
				r.Press("tab")
				to(key, "down")
				r.Press("e", "ctrl+u")
				r.Type(text)
				if r.Press("enter"); page.Typing() {
					_, problem, _ := strings.Cut(screen(r), "! ")
					line, _, _ := strings.Cut(problem, "\n")
					r.Press("esc", "tab")
					return "", errors.New(strings.TrimRight(line, " │"))
				}
				r.Press("tab", "enter", "enter")
				if len(starter.Requests) != 1 {
					t.Fatalf("%q: no run is started:\n%s", text, screen(r))
				}
				return ofSpec(&starter.Requests[0].Specs[0], key), nil
			}, ""})
	}
	return list
}

func screen(r *tuitest.Driver) string { return tuitest.Text(r.Shot()) }

// queryPlaces reads the numbers in the name of a dataset. The samples that are drawn tell what was
// read.
func queryPlaces(t *testing.T) []place {
	file := filepath.Join(t.TempDir(), "table.csv")
	var rows strings.Builder
	rows.WriteString("x,y\n")
	for i := range 60 {
		fmt.Fprintf(&rows, "%d,%c\n", i*i, "ab"[i%2])
	}
	if err := os.WriteFile(file, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	drawn := func(seed string) (string, error) {
		d, err := source.Open("csv:"+file+"?label=y&data_seed="+seed, data.Options{})
		if err != nil {
			return "", err
		}
		var test []float32 // standardised by the training samples, and so different for each draw
		for i := range d.Test.Len() {
			x := make([]float32, d.Test.Shape().Len())
			d.Test.Read(x, i)
			test = append(test, x...)
		}
		return fmt.Sprint(test), nil
	}
	seedOf := map[string]string{} // by what it draws
	for _, f := range numberForms() {
		if f.whole == "" {
			continue
		}
		test, err := drawn(f.whole)
		if other := seedOf[test]; err != nil || other != "" && other != f.whole {
			t.Fatalf("data_seed=%s: %v, draws what %q draws", f.whole, err, other)
		}
		seedOf[test] = f.whole
	}
	return []place{{"data_seed", false, false, func(t *testing.T, text string) (string, error) {
		test, err := drawn(text)
		return seedOf[test], err
	}, ""}}
}

// TestNumbersOfFlags: every flag of every command that takes numbers takes 010 for ten, and
// refuses 0x10 with the remedy.
func TestNumbersOfFlags(t *testing.T) {
	all := root(console.New(console.Env{}))
	console.ReadNumbers(all)
	flags := 0
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !console.TakesNumbers(f.Value.Type()) {
				return
			}
			flags++
			if err := f.Value.Set("010"); err != nil {
				t.Errorf("%s --%s 010: %v, want no error", c.CommandPath(), f.Name, err)
			}
			got := strings.TrimSuffix(strings.Trim(f.Value.String(), "[]"), ".000000")
			if got != "10" {
				t.Errorf("%s --%s 010 is %s, want 10", c.CommandPath(), f.Name, got)
			}
			if err := f.Value.Set("0x10"); err == nil || err.Error() != ": write 16" {
				t.Errorf("%s --%s 0x10: %v, want \": write 16\"", c.CommandPath(), f.Name, err)
			}
		})
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	if walk(all); flags < 25 {
		t.Errorf("%d flags take numbers", flags)
	}
}

// TestInputsOfBaseEight has the inputs that were read in base eight.
func TestInputsOfBaseEight(t *testing.T) {
	s := spec.Defaults()
	for key, want := range map[string]string{"epochs=010": "10", "hidden=[064]": "[64]",
		"seed=010": "10", "hidden=[010, 011]": "[10, 11]"} {
		if err := presets.Set(&s, key); err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(key, "=")
		if got := s.Text(name); got != want {
			t.Errorf("--set %s is %s, want %s", key, got, want)
		}
	}
	for text, want := range map[string][]uint64{"[010, 011]": {10, 11}, "010-012": {10, 11, 12},
		`["010", 011]`: {10, 11}} {
		study := "study: x\nseeds: " + text + "\narms:\n  a: {preset: shapes, method: erm}\n" +
			"  b: {preset: shapes, method: sfk}\nfamilies:\n  main:\n    claims:\n" +
			"      - {says: is worse than, measure: test_loss, arms: [a, b], direction: less}\n"
		got, errs := report.ParseStudy("mine.yaml", []byte(study))
		if len(errs) > 0 || !slices.Equal(got.Seeds, want) {
			t.Errorf("seeds: %s are %v, %v; want %v", text, got, errs, want)
		}
	}
}
