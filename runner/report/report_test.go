package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
)

const half = "χ², ρ=0.5"

func TestVerdicts(t *testing.T) {
	f := newFolder(t)
	// The differences to ERM vary a little from seed to seed.
	f.AddFour(recordtest.Result{Method: dro.SFK, Rho: .5, TrainLoss: .5, TestLoss: .8, Worst: .40,
		Risk:      2,
		Objective: []float64{3, 2, 1.4}})
	for seed := uint64(1); seed <= 5; seed++ { // seed 5 is one that SFK does not have
		w := recordtest.Deviation(3*seed) / 9
		f.Add(recordtest.Result{Method: dro.ERM, Seed: seed, Rho: .5,
			TrainLoss: .1 + w, TestLoss: 1 - w, Worst: .60 + w,
			Risk: 2 + recordtest.Deviation(seed*seed)})
	}
	r := f.report()
	for key, want := range map[string]Verdict{
		"train-loss": Supported, "test-loss": Supported, "worst": NotSupported,
		"robust-risk": Undecided,
	} {
		c := f.claim(r, key, half, "sfk c=1000", "erm")
		if c.Verdict != want || !slices.Equal(c.Seeds, []uint64{1, 2, 3, 4}) {
			t.Errorf("%s: %s over seeds %v, want %s over 1 to 4: %+v", key, c.Verdict, c.Seeds,
				want, c.Difference)
		}
	}
	c := f.claim(r, "train-loss", half, "sfk c=1000", "erm")
	var values []float64
	for seed := uint64(1); seed <= 4; seed++ {
		values = append(values, .4+recordtest.Deviation(seed)-recordtest.Deviation(3*seed)/9)
	}
	mean, width := compare.TInterval(values, .95)
	if math.Abs(c.Mean.Float()-mean) > 1e-12 || math.Abs(c.Half.Float()-width) > 1e-12 {
		t.Errorf("the difference in train loss is %v ± %v, want %v ± %v", c.Mean, c.Half, mean,
			width)
	}
	least := math.Inf(1)
	for _, c := range r.claims() {
		least = min(least, c.P.Float())
	}
	for _, c := range r.claims() {
		tests := r.Families[0].Tests
		if c.P.Float() == least && math.Abs(c.Adjusted.Float()-float64(tests)*least) > 1e-12 {
			t.Errorf("the least p of %d, %g, is adjusted to %v, want %g", tests, least, c.Adjusted,
				float64(tests)*least)
		}
	}
}

// The objective is compared at equal steps along the run, and in a claim of its own at the end.
func TestObjectiveAlongTheRun(t *testing.T) {
	f := newFolder(t)
	f.addPaperArms(.5)
	r := f.report()
	along := f.claim(r, "objective", half, "sfk c=1000", "pgd")
	end := f.claim(r, "objective-end", half, "sfk c=1000", "pgd")
	if got, want := along.Mean.Float(), (6.4-6.6)/3; math.Abs(got-want) > 1e-12 {
		t.Errorf("along the run %g, want %g", got, want)
	}
	if got := end.Mean.Float(); math.Abs(got-.2) > 1e-12 {
		t.Errorf("at the end %g, want 0.2", got)
	}
	// seeds that agree to the last digit tell nothing about their spread
	for _, c := range []*Finding{along, end} {
		if c.P.Applies() || c.Verdict != Undecided {
			t.Errorf("%s is %s with p %v, want %s without p", c.Key, c.Verdict, c.P, Undecided)
		}
	}
}

func TestOneSeedDecidesNothing(t *testing.T) {
	f := newFolder(t)
	f.Add(recordtest.Result{Method: dro.SFK, Seed: 1, Rho: .5, TrainLoss: 5, Worst: .1})
	f.Add(recordtest.Result{Method: dro.ERM, Seed: 1, Rho: .5, TrainLoss: 1, Worst: .9})
	r := f.report()
	decided := 0
	for _, c := range r.claims() {
		if c.Verdict == NotTested {
			if len(c.Seeds) > 0 {
				t.Errorf("%s is not tested, and has the seeds %v", c.Key, c.Seeds)
			}
			if c.P.Applies() || c.Mean.Applies() {
				t.Errorf("%s is not tested, and has p %v and the mean %v", c.Key, c.P, c.Mean)
			}
			continue
		}
		decided++
		if c.Verdict != Undecided {
			t.Errorf("%s is %s, want %s", c.Key, c.Verdict, Undecided)
		}
		if c.P.Applies() || c.Half.Applies() {
			t.Errorf("%s has p %v and the interval ± %v, want neither", c.Key, c.P, c.Half)
		}
		if !c.Mean.Applies() {
			t.Errorf("%s has no difference", c.Key)
		}
	}
	if decided != 4 {
		t.Errorf("%d claims have a difference, want those on sfk and erm at one radius: 4", decided)
	}
	page := r.Page().Markdown()
	if !strings.Contains(page, "One seed has no spread") {
		t.Error("the page does not say that one seed decides nothing")
	}
}

// A figure that does not depend on the radius is the same test at two radii, and counts once.
func TestSameRunsAtTwoRadii(t *testing.T) {
	f := newFolder(t)
	for _, rho := range []float64{.5, 1.5} {
		f.AddFour(recordtest.Result{Method: dro.PAN, Rho: rho, TrainLoss: .4, TestLoss: .9,
			Worst: .4,
			Risk:  rho + 1})
		for seed := uint64(1); seed <= 4; seed++ {
			f.Add(recordtest.Result{Method: dro.ERM, Seed: seed, Rho: rho,
				TrainLoss: .1 + recordtest.Deviation(2*seed),
				TestLoss:  1, Worst: .5, Risk: rho + 2 + recordtest.Deviation(2*seed)*rho})
		}
	}
	r := f.report()
	if len(r.Problems) != 2 {
		t.Fatalf("%d problems, want the two radii", len(r.Problems))
	}
	first, second := f.claim(r, "train-loss", half, "pan", "erm"), f.claim(r, "train-loss", "χ², "+
		"ρ=1.5", "pan", "erm")
	if first.Repeats != "" || second.Repeats != half {
		t.Errorf("the two tests repeat that of %q and of %q, want %q and %q", first.Repeats,
			second.Repeats, "", half)
	}
	if second.Adjusted != first.Adjusted || second.Verdict != first.Verdict {
		t.Errorf("the second is %s with p %v, want %s with %v as the first", second.Verdict,
			second.Adjusted, first.Verdict, first.Adjusted)
	}
	if risk := f.claim(r, "robust-risk", "χ², ρ=1.5", "pan", "erm"); risk.Repeats != "" {
		t.Error("the robust risk, which is of the radius, counts once")
	}
	different := 0
	for _, c := range r.claims() {
		if c.Repeats == "" {
			different++
		}
	}
	if r.Families[0].Tests != different || different == len(r.claims()) {
		t.Errorf("%d tests of %d claims, %d different", r.Families[0].Tests, len(r.claims()),
			different)
	}
}

// The times of steps are compared only between runs that shared the machine.
func TestStepsAreComparedSideBySide(t *testing.T) {
	f := newFolder(t)
	f.AddFour(recordtest.Result{Method: dro.SFK, Rho: .5, Speed: 75})
	f.AddFour(recordtest.Result{Method: dro.PGD, Rho: .5})
	all := make([]*loggedRun, len(f.Runs))
	for i, r := range f.Runs {
		var err error
		all[i], err = readLog(r)
		f.Must(err)
	}
	start := time.Date(2026, 11, 22, 4, 0, 0, 0, time.UTC)
	for i, r := range all { // 100 seconds each; SFK's steps take 10 s, PGD's 7.5
		hour := start.Add(time.Duration(r.seed()) * time.Hour)
		for s := range 10 {
			r.ticks = append(r.ticks, tick{hour.Add(time.Duration(10*s) * time.Second),
				[]float64{10, 7.5}[i/4]})
		}
	}
	sfk, pgd := &arm{runs: all[:4]}, &arm{runs: all[4:]}
	for i := range sfk.runs[1].ticks[7:] { // alone at the end, and fast
		sfk.runs[1].ticks[7+i].end = sfk.runs[1].ticks[7+i].end.Add(40 * time.Second)
		sfk.runs[1].ticks[7+i].seconds = 1
	}
	pgd.runs[1].ticks[9].end = pgd.runs[1].ticks[9].end.Add(15 * time.Second)
	for i := range sfk.runs[2].ticks { // 40 of 100 seconds shared
		sfk.runs[2].ticks[i].end = sfk.runs[2].ticks[i].end.Add(time.Minute)
	}
	sfk.runs[3].ticks = sfk.runs[3].ticks[:6]
	d := differenceOf(sfk, pgd, stepTime, 0)
	if got, want := d.Mean.Float(), math.Log(10/7.5); math.Abs(got-want) > 1e-12 ||
		!slices.Equal(d.Seeds, []uint64{1, 2}) {
		t.Errorf("log ratio %g over seeds %v, want %g over 1 and 2", got, d.Seeds, want)
	}
}

func TestVariations(t *testing.T) {
	f := newFolder(t)
	f.addPaperArms(.5)
	he := func(s *spec.Spec) { s.Init = "torch" }
	f.Add(recordtest.Result{Method: dro.SFK, Seed: 2, Rho: .5, TrainLoss: .7, Change: he})
	f.Add(recordtest.Result{Method: dro.SFK, Seed: 1, Rho: .1, TrainLoss: .2})
	f.Add(recordtest.Result{Method: dro.SFK, Seed: 1, Rho: .5, TrainLoss: .3,
		Change: func(s *spec.Spec) {
			s.SetOwn("c", dro.Fixed(77))
		}})
	three := func(s *spec.Spec) { s.Init, s.LR, s.Momentum = "torch", .5, .5 }
	f.Add(recordtest.Result{Method: dro.ERM, Seed: 1, Rho: .5, Change: three})
	r := f.report()
	if len(r.Problems) != 1 {
		t.Fatalf("%d problems, want one: a single run at another radius is a variation",
			len(r.Problems))
	}
	want := map[string]float64{"init=torch": .7 - .5 - recordtest.Deviation(2),
		"rho=0.1": .2 - .5 - recordtest.Deviation(1),
		"c=77":    .3 - .5 - recordtest.Deviation(1)}
	for _, v := range r.Variations {
		name := v.Key + "=" + v.To
		i := slices.IndexFunc(v.Effects, func(e Effect) bool { return e.Measure == "train_loss" })
		if d, ok := want[name]; !ok || math.Abs(v.Effects[i].Mean.Float()-d) > 1e-12 {
			t.Errorf("%s: %v, want %g", name, v.Effects[i].Mean, d)
		}
		delete(want, name)
		isRisk := func(e Effect) bool { return e.Measure == "robust_risk" }
		if risk := slices.ContainsFunc(v.Effects, isRisk); risk == (v.Key == "rho") {
			t.Errorf("%s: robust risk is compared: %v, want %v", name, risk, v.Key != "rho")
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	if !slices.ContainsFunc(r.Notes, func(n string) bool {
		return strings.Contains(n, "1 run, in lr, momentum, init")
	}) {
		t.Errorf("what differs in three settings is not named: %q", r.Notes)
	}
	if len(r.Lacking) > 0 {
		t.Error("drawn shapes are taken for the paper's experiment")
	}
}

// TestLacking: the page names the runs that the study's section on sensitivity lacks, with their
// commands.
func TestLacking(t *testing.T) {
	like := as(t, "paper-gentle")
	f := newFolder(t)
	add := func(a dro.Algorithm, change func(*spec.Spec), accuracy ...float64) {
		f.Add(recordtest.Result{Method: a, Seed: 1, Rho: .5, Worst: .5, Change: change,
			Classes: strings.Fields("a b c d e f g h i j"), Preset: "paper-gentle",
			Accuracy: accuracy})
	}
	add(dro.SFK, like, .9, .9, .9, .5, .5, .65, .9, .9, .9, .9)
	add(dro.ERM, like, .9, .9, .9, .5, .4, .45, .9, .9, .9, .1)
	add(dro.SFK, func(s *spec.Spec) { like(s); s.Pad = "mean" }, .9, .9, .9, .5, .5, .65,
		.9, .9, .9, .9)
	r := f.report()
	const command = "drolab run paper-gentle --algo sfk --seeds 1 --set init=he"
	if text := r.Page().Markdown(); !strings.Contains(text, command) {
		t.Errorf("the page lacks %q:\n%s", command, text)
	}
	for _, w := range r.Lacking {
		if w.Key == "pad" && w.Method == dro.SFK {
			t.Errorf("the variation of pad by %s is there, and is wanted: %s", w.Method, w.Command)
		}
	}
	c := f.claim(r, "low", half, "sfk c=1000", "erm")
	if got := c.Mean.Float(); math.Abs(got-.1) > 1e-12 {
		t.Errorf("sfk is %g above erm in the classes 3, 4 and 5, want 0.1", got)
	}
	if c.Window.Applies() {
		t.Errorf("three evaluations have %v as the mean of the last five, want none", c.Window)
	}
}

// Where the paper's window would reverse a difference, the page says so.
func TestWindow(t *testing.T) {
	start := time.Date(2026, 11, 22, 4, 0, 0, 0, time.UTC)
	losses := func(values ...float64) (r *loggedRun) {
		r = &loggedRun{Run: &record.Run{}}
		r.Meta.Created = start
		for _, v := range values {
			e := &runner.EvalEvent{}
			e.Set("test_loss", measure.Num(v))
			r.evals = append(r.evals, e)
		}
		return r
	}
	loss := &statistic{measure: "test_loss"}
	x, y := loss.windowMean(5)(losses(9, 1, 2, 3, 4, 5), losses(1, 1, 1, 1, 6))
	if x != 3 || y != 2 {
		t.Errorf("%g and %g, want 3 and 2", x, y)
	}
	if x, _ := loss.windowMean(5)(losses(1, 2, 3, 4), losses(1, 1, 1, 1, 1)); x == x {
		t.Error("four evaluations have a mean of five")
	}
	claim := func(a string, mean, window float64) *Finding {
		return &Finding{claim: &Claim{}, A: a, B: "erm", Margin: measure.Num(0),
			Measure: "test_loss", Problem: half,
			Window: measure.Num(window), Difference: Difference{Mean: measure.Num(mean)}}
	}
	claims := []*Finding{claim("sfk", -.1, .25), claim("pan", -.1, -.2)}
	r := &Report{study: &Study{Window: 5}, Families: []*TestedFamily{{Claims: claims}}}
	const turned = "sfk < erm, χ², ρ=0.5 (+0.25)"
	for _, want := range []string{"1 of 2", turned} {
		if text := r.windows(); !strings.Contains(text, want) {
			t.Errorf("windows() = %q, want %q in it", text, want)
		}
	}
}

func TestNothingToReport(t *testing.T) {
	if r, err := New(nil, nil, Options{}); err == nil {
		t.Errorf("New without a study and runs = %+v, want an error", r)
	}
}

func TestJSON(t *testing.T) {
	f := newFolder(t)
	f.addPaperArms(.5)
	b, err := json.Marshal(f.report())
	f.Must(err)
	var back map[string]any
	f.Must(json.Unmarshal(b, &back))
	for _, key := range []string{"problems", "families", "departures", "variations", "lacking",
		"made", "notes"} {
		if _, ok := back[key].([]any); !ok {
			t.Errorf("%s is %v, want a list", key, back[key])
		}
	}
}

// For runs of one method there is no claim, and the page explains no test.
func TestOneMethod(t *testing.T) {
	f := newFolder(t)
	f.AddFour(recordtest.Result{Method: dro.SFK, Rho: .5, TrainLoss: .5, TestLoss: .9, Worst: .4,
		Risk: 2})
	text := f.report().Page().Markdown()
	if !strings.Contains(text, "None can be tested") {
		t.Errorf("the page of one method lacks %q:\n%s", "None can be tested", text)
	}
	for _, not := range []string{"Holm", "What the verdicts depend on"} {
		if strings.Contains(text, not) {
			t.Errorf("the page of one method has %q:\n%s", not, text)
		}
	}
}

// Accuracies by class are compared between methods that have the same classes.
func TestClassesOfOtherData(t *testing.T) {
	f := newFolder(t)
	f.AddFour(recordtest.Result{Method: dro.ERM, Rho: .5, TrainLoss: .1, TestLoss: 1, Worst: .6,
		Risk: 3})
	f.AddFour(recordtest.Result{Method: dro.SFK, Rho: .5, TrainLoss: .5, TestLoss: .9, Worst: .4,
		Risk: 2})
	f.AddFour(recordtest.Result{Method: dro.PGD, Rho: .5, TrainLoss: .4, TestLoss: 1, Worst: .5,
		Risk:    2,
		Classes: []string{"square", "star"}})
	s, err := describe(f.Runs)
	f.Must(err)
	r, err := New(s, f.Runs, Options{Interim: true})
	f.Must(err)
	for _, row := range r.Problems[0].Classes {
		if len(row.Arms) != 1 || !strings.Contains(row.Arms[0], "sfk") {
			t.Errorf("%s is compared with %q, want sfk alone", row.Class, row.Arms)
		}
	}
	if len(r.Problems[0].Classes) != 2 {
		t.Error("the classes are not compared")
	}
}

// as returns a change that gives a run every setting of a preset but the method, the seeds and the
// radius.
func as(t *testing.T, name string) func(*spec.Spec) {
	p, err := presets.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return func(s *spec.Spec) {
		one := p.Spec
		one.Algorithms, one.Seed, one.Seeds, one.Rho = s.Algorithms, s.Seed, 1, s.Rho
		*s = one
	}
}

// ownArm returns the part of a report that is about the claims' own arms.
func ownArm(t *testing.T, r *Report) string {
	t.Helper()
	var all []any
	for _, p := range r.Problems {
		for i, a := range p.arms {
			if a.name == "" {
				continue
			}
			for j, c := range p.Table.Columns {
				cell := p.Table.Rows[i].Cells[j]
				all = append(all, p.Label, a.label, c.Name, c.Class, cell)
			}
			all = append(all, p.Costs[i])
			for _, row := range p.Classes {
				if at := slices.Index(row.Arms, a.label); at >= 0 {
					all = append(all, row.Class, row.Differences[at])
				}
			}
		}
	}
	b, err := json.MarshalIndent([]any{r.Families, r.Reproduction,
		all}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A report says the same of the claims' own arms when ten runs of any other arm are added, whether
// the runs have the same seeds, are older, or come first in the list.
func TestOtherArmsChangeNoVerdict(t *testing.T) {
	for _, base := range []struct {
		preset  string
		classes []string
	}{{"testdata/shapes.yaml", nil}, {"paper-gentle", strings.Fields("a b c d e f g h i j")}} {
		like := as(t, base.preset)
		also := func(change func(*spec.Spec)) func(*spec.Spec) {
			return func(s *spec.Spec) { like(s); change(s) }
		}
		tell := func(a dro.Algorithm, x float64) recordtest.Result {
			w := recordtest.Result{
				Method: a, Rho: .5, Preset: base.preset, Classes: base.classes, Change: like,
				TrainLoss: x, TestLoss: .9 + x, Worst: .4 + x/10, Risk: 2 + x*x,
				Objective: []float64{3 + x, 2, 1 + x/3},
			}
			for i := range base.classes {
				w.Accuracy = append(w.Accuracy, .5+x/20+float64(i)/100)
			}
			return w
		}
		f := newFolder(t)
		f.AddFour(tell(dro.SFK, .5))
		f.AddFour(tell(dro.PGD, .4))
		f.AddFour(tell(dro.PAN, .35))
		for seed := uint64(1); seed <= 4; seed++ {
			w := tell(dro.ERM, .1+recordtest.Deviation(2*seed))
			w.Seed = seed
			f.Add(w)
		}
		before := f.report()
		want, runs := ownArm(t, before), len(f.Runs)
		if len(before.claims()) < 8 || before.claims()[0].Seeds == nil {
			t.Fatalf("%s: %d claims", base.preset, len(before.claims()))
		}
		for i, c := range []struct {
			name   string
			method dro.Algorithm
			rho    float64
			change func(*spec.Spec)
		}{
			{"another C", dro.SFK, .5, func(s *spec.Spec) { s.SetOwn("c", dro.Fixed(5)) }},
			{"sfk-auto", dro.SFKAuto, .5, func(*spec.Spec) {}},
			{"batch", "batch", .5, func(*spec.Spec) {}},
			{"PAN with a step of its own", dro.PAN, .5,
				func(s *spec.Spec) { s.LRZ = dro.Fixed(.1) }},
			{"another start of z", dro.PGD, .5, func(s *spec.Spec) { s.Lambda = 3 }},
			{"another network", dro.ERM, .5, func(s *spec.Spec) { s.WeightDecay = .1 }},
			{"another radius", dro.SFK, .1, func(*spec.Spec) {}},
		} {
			if testing.Short() && i%6 > 0 {
				continue
			}
			t.Run(base.preset+", "+c.name, func(t *testing.T) {
				f := folder{f.First(t, runs)}
				for seed := range uint64(10) {
					w := tell(c.method, -.7)
					w.Seed, w.Rho, w.Change = seed+1, c.rho, also(c.change)
					w.Age = int(seed) - 5
					f.Add(w)
				}
				slices.Reverse(f.Runs) // the newest first, as lists have them
				after := f.report()
				if got := ownArm(t, after); got != want {
					t.Errorf("another report of the claims' own arms: %s",
						firstDifference(got, want))
				}
				beside := c.rho == .5 && c.name != "another network"
				n := len(after.Further)
				if (n > 0) != beside && c.method != dro.PGD { // no claim is PGD's
					t.Errorf("%d judgements of further arms, want some: %v", n, beside)
				}
			})
		}
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d: %q, was %q", i+1, x[max(0, i-3):i+1], y[max(0, i-3):i+1])
		}
	}
	return fmt.Sprintf("%d lines, were %d", len(x), len(y))
}

// A claim with an arm that has no run, or one, says so, whatever other arms there are.
func TestTooFewRunsAreTold(t *testing.T) {
	like := as(t, "paper-gentle")
	f := newFolder(t)
	ten := strings.Fields("a b c d e f g h i j")
	add := func(a dro.Algorithm, seeds uint64, change func(*spec.Spec)) {
		for seed := range seeds {
			f.Add(recordtest.Result{Method: a, Seed: seed + 1, Rho: .5, Preset: "paper-gentle",
				Classes:   ten,
				TrainLoss: 1 + recordtest.Deviation(seed),
				Change:    func(s *spec.Spec) { like(s); change(s) }})
		}
	}
	none := func(*spec.Spec) {}
	add(dro.ERM, 5, none)
	add(dro.PAN, 1, none)
	add(dro.SFK, 5, func(s *spec.Spec) { s.SetOwn("c", dro.Fixed(500)) })
	r := f.report()
	for _, want := range []struct {
		arm, few string
		verdict  Verdict
	}{{"sfk c=1000", "no run of sfk c=1000", NotTested}, {"pan", "one seed", Undecided}} {
		c := f.claim(r, "train-loss", half, want.arm, "erm")
		if c.Few != want.few || c.Verdict != want.verdict {
			t.Errorf("%s: %s, %q, want %s, %q", want.arm, c.Verdict, c.Few, want.verdict, want.few)
		}
	}
	i := slices.IndexFunc(r.Further,
		func(c *Finding) bool { return c.Key == "train-loss" && c.B == "erm" })
	if i < 0 {
		t.Fatalf("of %d claims of further arms none is on train-loss and erm", len(r.Further))
	}
	if c := r.Further[i]; c.A != "sfk c=500" || len(c.Seeds) != 4 {
		t.Errorf("the claim of a further arm is of %s over seeds %v, want sfk c=500 over 4", c.A,
			c.Seeds)
	}
	page := r.Page().Markdown()
	for _, want := range []string{"not tested: no run of sfk c=1000", "undecided, one seed",
		"| sfk c=500 |"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
