package paper

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner/page"
	"drolab/runner/record/recordtest"
	"drolab/runner/report"
	"drolab/runner/spec"
)

func TestMain(m *testing.M) { recordtest.Main(m) }

// paperStudy returns the recorded study of the paper, with changes of its text.
func paperStudy(t *testing.T, changes ...string) *report.Study {
	t.Helper()
	text, err := os.ReadFile("../../../presets/recorded/paper/study.yaml")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer(changes...).Replace(string(text))
	s, errs := report.ParseStudy("paper.yaml", []byte(changed))
	if len(errs) > 0 {
		t.Fatalf("ParseStudy: %v", errors.Join(errs...))
	}
	return s
}

// gentle returns a change that gives a run the settings of paper-gentle, except for the method and
// the seed, and then the changes that follow.
func gentle(t *testing.T, changes ...func(*spec.Spec)) func(*spec.Spec) {
	t.Helper()
	p, err := presets.Load("paper-gentle")
	if err != nil {
		t.Fatal(err)
	}
	return func(s *spec.Spec) {
		own := p.Spec
		own.Algorithms, own.Seed, own.Seeds, own.Rho = s.Algorithms, s.Seed, 1, s.Rho
		*s = own
		for _, change := range changes {
			change(s)
		}
	}
}

// reportOn reports on the runs of a folder.
func reportOn(t *testing.T, s *report.Study, f *recordtest.Folder) *report.Report {
	t.Helper()
	r, err := report.New(s, f.Runs, report.Options{Interim: true, Publication: Of(s)})
	if err != nil {
		t.Fatalf("New of %d runs: %v", len(f.Runs), err)
	}
	return r
}

// half is the condition of paper-gentle.
const half = "χ², ρ=0.5"

// TestReadings: a reading covers SFK and ERM alike where both read the setting, and the runs of the
// seeds that both have. The nearest reading comes first, and the page says that no reading has SFK
// above ERM. Two settings that are changed at once are a reading, and so are other data. One seed
// with another C is no column of Table 1.
func TestReadings(t *testing.T) {
	study, f, data := paperStudy(t), recordtest.NewFolder(t), "sha256:0"
	table := study.Published
	// add records a run whose classes are so many points above the printed ones.
	add := func(a dro.Algorithm, seed uint64, points float64, changes ...func(*spec.Spec)) {
		var classes []float64 // the last evaluation adds .02
		for _, x := range table.Rows[string(a)] {
			classes = append(classes, (x+points)/100-.02)
		}
		f.Add(recordtest.Result{Method: a, Seed: seed, Rho: .5, Preset: "paper-gentle",
			Accuracy: classes, Checksum: data, Classes: strings.Fields("a b c d e f g h i j"),
			Worst:  table.Mean(string(a))/100 - .1 + points/100,
			Change: gentle(t, changes...)})
	}
	for seed := uint64(1); seed <= 3; seed++ {
		add(dro.SFK, seed, -3+float64(seed)-2)
		add(dro.ERM, seed, max(1, 3*float64(seed)-5)) // 1, 1 and 4
	}
	mean := func(s *spec.Spec) { s.Pad = "mean" }
	add(dro.SFK, 1, -1, mean)
	add(dro.ERM, 1, 0, mean)
	he := func(s *spec.Spec) { s.Init = "he" }
	add(dro.SFK, 2, 5, he) // ERM has no such run
	still := func(s *spec.Spec) { s.Momentum = 0 }
	add(dro.SFK, 1, -9, mean, still)
	add(dro.ERM, 1, -7, mean, still)
	add(dro.SFK, 1, 0, mean, still, he) // which are too many
	add(dro.ERM, 1, 0, mean, still, he)
	add(dro.SFK, 1, -2, func(s *spec.Spec) { s.SetOwn("c", dro.Fixed(100)) })
	add(dro.SFK, 1, -2.5, func(s *spec.Spec) { s.Lambda0 = .01 })
	data = "sha256:0123456789"
	for seed := uint64(1); seed <= 2; seed++ {
		add(dro.SFK, seed, -6)
		add(dro.ERM, seed, -2*float64(seed))
	}
	data = "sha256:fedcba9876"
	add(dro.SFK, 1, 9) // ERM has no run on these data
	r := reportOn(t, study, f)

	// distances are a reading with its distances in points. Lead is that beyond the printed one.
	type distances struct {
		Name                      string
		Runs                      int
		FromFirst, FromBase, Lead float64
		Alike                     bool
	}
	want := []distances{
		{half + ", pad mean", 1, 1, 0, -1, true},
		{half + ", c 100", 1, 2, 1, -3, false},
		{half + ", lambda0 0.01", 1, 2.5, 1, -3.5, false},
		{half, 3, 3, 2, -5, true},
		{half + ", data 01234567", 2, 6, 3, -3, true},
		{half + ", momentum 0 and pad mean", 1, 9, 7, -2, true},
	}
	var got []distances
	printed := table.Mean("sfk") - table.Mean("erm")
	for _, d := range r.Readings {
		got = append(got, distances{d.Name, d.Runs, 100 * d.FromFirst.Float(),
			100 * d.FromBase.Float(), 100*d.Lead.Mean.Float() - printed, d.Alike})
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("the readings differ (-want +got):\n%s", diff)
	}
	if n := len(r.Problems[0].Table.Rows); n != 2 {
		t.Errorf("Table 1 has %d columns, want sfk and erm", n)
	}
	answer := "That lead is reached by 0 of these 6 readings. The nearest is " + half +
		", pad mean (1 seed): −0.4 points, ± 4.3 by the spread of the 3 seeds of " + half +
		". sfk's mean comes nearest to the printed 73.45 under " + half +
		", pad mean (1 seed): 72.5, where erm has 72.9."
	if text := page.Markdown(Of(study).ReadingBlocks(r)...); !strings.Contains(text, answer) {
		t.Errorf("the section on readings lacks %q:\n%s", answer, text)
	}
}

// besidePaper records one run of each of SFK, with an automatic bound of λ, and ERM, and reports on
// them by a study that wants this bound.
func besidePaper(t *testing.T) (*report.Report, *recordtest.Folder, *report.Study) {
	t.Helper()
	f := recordtest.NewFolder(t)
	add := func(a dro.Algorithm, change func(*spec.Spec), accuracy ...float64) {
		f.Add(recordtest.Result{Method: a, Seed: 1, Rho: .5, Worst: .5, Change: change,
			Classes: strings.Fields("airplane automobile bird cat deer dog frog horse ship truck"),
			Preset:  "paper-gentle", Accuracy: accuracy})
	}
	add(dro.SFK, gentle(t, func(s *spec.Spec) { s.LambdaMax = dro.Auto{} }),
		.9, .9, .9, .5, .5, .65, .9, .9, .9, .9)
	add(dro.ERM, gentle(t), .9, .9, .9, .5, .4, .45, .9, .9, .9, .1)
	s := paperStudy(t, "sfk: {method: sfk,", "sfk: {method: sfk, lambda_max: auto,")
	return reportOn(t, s, f), f, s
}

// TestBesideThePaper: for runs on the paper's data the page shows the paper's numbers beside ours,
// and lists the settings that differ, and those that the paper does not state.
func TestBesideThePaper(t *testing.T) {
	r, _, _ := besidePaper(t)
	text := r.Page().Markdown()
	for _, want := range []string{
		"| worst class | 50.0 | 49.36 | 50.0 | 47.05 |",
		"| mean | 60.0 | 73.45 | 60.0 | 72.91 |",
		"| lambda\\_max | auto | 10 |",
		"Columns named paper are its Table 1, the mean of four repeats;",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for key, want := range map[string]string{
		"rho":       "does not print ρ",
		"imbalance": "draws as many at random",
		"dropout":   "the paper says nothing",
	} {
		i := slices.IndexFunc(r.Departures, func(d report.Departure) bool { return d.Key == key })
		if i < 0 {
			t.Errorf("%s is no departure: %+v", key, r.Departures)
		} else if reason := r.Departures[i].Reason; !strings.Contains(reason, want) {
			t.Errorf("the reason of %s is %q, want %q in it", key, reason, want)
		}
	}
}

// TestOtherArmsChangeNoDeparture: runs of another arm change none of the departures.
func TestOtherArmsChangeNoDeparture(t *testing.T) {
	r, f, s := besidePaper(t)
	for seed := range uint64(10) {
		f.Add(recordtest.Result{Method: dro.SFKAuto, Seed: seed + 1, Rho: .5, Worst: .3,
			Classes: r.Problems[0].RunsOf(0)[0].Meta.Classes, Preset: "paper-gentle",
			Change: gentle(t)})
	}
	after := reportOn(t, s, f)
	if diff := cmp.Diff(r.Departures, after.Departures); diff != "" {
		t.Errorf("the departures differ with other arms (-without +with):\n%s", diff)
	}
	if len(r.Departures) == 0 {
		t.Error("there are no departures, want some")
	}
}

// TestPrinted: the printed figures are those of the table.
func TestPrinted(t *testing.T) {
	e := Of(paperStudy(t))
	for _, c := range []struct {
		arm, measure string
		class        int
		want         string
		ok           bool
	}{
		{"sfk", "class_accuracy", 5, "49.36", true},
		{"sfk", "class_accuracy", -1, "54.32", true}, // of 54.95, 58.65 and 49.36
		{"sfk", "worst_class_accuracy", -1, "49.36", true},
		{"erm", "test_accuracy", -1, "72.91", true},
		{"erm", "test_loss", -1, page.None, true},
		{"pgd", "test_accuracy", -1, "", false},
		{"", "test_accuracy", -1, "", false},
	} {
		text, ok := e.Printed(c.arm, c.measure, c.class)
		if text != c.want || ok != c.ok {
			t.Errorf("Printed(%q, %q, %d) = %q, %v, want %q, %v", c.arm, c.measure, c.class, text,
				ok, c.want, c.ok)
		}
	}
}

// TestNoPublication: a study without a published table has no publication, and its report has empty
// lists in place of departures and readings.
func TestNoPublication(t *testing.T) {
	if e := Of(nil); e != nil {
		t.Errorf("Of(nil) = %v, want nil", e)
	}
	s := paperStudy(t)
	s.Published = nil
	if e := Of(s); e != nil {
		t.Errorf("Of a study without a table = %v, want nil", e)
	}
	_, f, _ := besidePaper(t)
	b, err := json.Marshal(reportOn(t, s, f))
	if err != nil {
		t.Fatal(err)
	}
	var lists map[string]any
	if err := json.Unmarshal(b, &lists); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"departures", "readings"} {
		if list, ok := lists[key].([]any); !ok || len(list) > 0 {
			t.Errorf("%s is %v, want an empty list", key, lists[key])
		}
	}
}

// TestClassWithoutSamples: the distance to the table does not apply if a class has no accuracy.
func TestClassWithoutSamples(t *testing.T) {
	study, f := paperStudy(t), recordtest.NewFolder(t)
	for _, a := range []dro.Algorithm{dro.SFK, dro.ERM} {
		accuracy := slices.Repeat([]float64{.5}, 10)
		accuracy[3] = math.NaN()
		f.Add(recordtest.Result{Method: a, Seed: 1, Rho: .5, Worst: .4, Accuracy: accuracy,
			Classes: strings.Fields("a b c d e f g h i j"), Preset: "paper-gentle",
			Change: gentle(t)})
	}
	r := reportOn(t, study, f)
	if len(r.Readings) != 1 {
		t.Fatalf("%d readings, want 1: %+v", len(r.Readings), r.Readings)
	}
	if d := r.Readings[0]; d.FromFirst.Finite() {
		t.Errorf("the distance is %v, want none", d.FromFirst)
	}
}
