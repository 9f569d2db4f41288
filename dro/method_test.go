package dro

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"drolab/dro/testsize"

	"github.com/google/go-cmp/cmp"
)

// task returns a method's task with the default settings, except for the settings given.
func task(m *Method, p *Problem, settings map[string]Auto) Task {
	t := Task{Problem: p, Samples: 40, Classes: []int{10, 30}, Groups: []int{4, 16, 20},
		Val:      []int{5, 5, 5},
		Settings: map[string]Auto{"lambda": Fixed(1), "eta": Fixed(0), "momentum": Fixed(.9)}}
	for _, s := range m.Settings {
		t.Settings[s.Key] = s.Default
	}
	maps.Copy(t.Settings, settings)
	return t
}

func newTrainer(t testing.TB, name Algorithm, p *Problem, settings map[string]Auto) Trainer {
	t.Helper()
	m, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	trainer, err := m.New(task(m, p, settings))
	if err != nil {
		t.Fatal(err)
	}
	return trainer
}

func startAt(z Z) map[string]Auto {
	return map[string]Auto{"lambda": Fixed(z.Lambda), "eta": Fixed(z.Eta)}
}

func with(settings map[string]Auto, key string, value Auto) map[string]Auto {
	settings = maps.Clone(settings)
	settings[key] = value
	return settings
}

// reported collects the measures of the last step.
func reported(t Trainer) map[string]float64 {
	values := map[string]float64{}
	t.Report(func(name string, v float64) { values[name] = v })
	return values
}

// testBatch returns a batch with groups and indices of the task above.
func testBatch(losses []float64) Batch {
	b := Batch{Losses: losses}
	for i := range losses {
		b.Labels, b.Groups = append(b.Labels, i%2), append(b.Groups, i%3)
		b.Index = append(b.Index, i%40)
	}
	return b
}

// step does what a runner does with a batch, x-step included.
func step(trainer Trainer, w []float64, b Batch, s Step) {
	trainer.Before(b)
	trainer.Weights(w, b)
	if m, ok := trainer.(Mover); ok {
		m.Advance(s.GradNorm, s.Rate)
	}
	trainer.After(b, s)
}

// No method's step leaves its box, not even by rounding: it would reach λ = 0, where weights are
// NaN.
func TestStepsStayInTheBox(t *testing.T) {
	for _, m := range Methods() {
		for _, rule := range []float64{1, 2, 3} { // of sfk-auto
			rng, w := testRand(25), make([]float64, 16)
			boxes := slices.Repeat(testProblems(.5), 20)
			for _, p := range testsize.Few(len(boxes)/4, boxes...) {
				if m.Applies(p.Set) != nil {
					continue
				}
				p.Box.Lambda[0] = math.Exp(-40 * rng.Float64())
				p.Box.Lambda[1] = p.Box.Lambda[0] + 30*rng.Float64()
				p.Box.Eta[1] = p.Box.Eta[0] + 20*rng.Float64()
				start := with(startAt(p.Box.Project(Z{1, 0})), "c", Fixed(1e-9))
				d, dual := newTrainer(t, m.Name, p, with(start, "c_rule", Fixed(rule))).(Dual)
				if !dual {
					break
				}
				for i := range 8 {
					step(d.(Trainer), w, Batch{Losses: exponential(rng, 16)},
						Step{T: int64(i + 1), Rate: 1e3 * rng.Float64(), GradNorm: 1})
					z := d.Z()
					if math.IsNaN(z.dot(z)) {
						break // e^(ℓ/λ) has overflowed
					}
					if !p.Box.Contains(z) {
						t.Fatalf("%s, %v: step %d leaves %v: z %v", m.Name, p, i+1, p.Box, z)
					}
				}
			}
		}
	}
}

// A method that is stopped and resumed does the same as one that never stopped, and reports only
// measures that its description names.
func TestResume(t *testing.T) {
	rng := testRand(24)
	for _, m := range Methods() {
		for _, p := range testProblems(.5) {
			if m.Applies(p.Set) != nil {
				continue
			}
			whole, resumed := newTrainer(t, m.Name, p, nil), newTrainer(t, m.Name, p, nil)
			if _, moves := whole.(Mover); moves != m.OwnStep {
				t.Errorf("%s moves x itself: %v, and is described otherwise", m.Name, moves)
			}
			if _, refits := whole.(Refitter); refits != m.Refits {
				t.Errorf("%s fits its last layer: %v, and is described otherwise", m.Name, refits)
			}
			w := make([]float64, 64)
			for i := range 5 {
				step(whole, w, testBatch(exponential(rng, 64)),
					Step{T: int64(i + 1), Rate: .01, GradNorm: rng.Float64()})
			}
			if err := resumed.Restore(whole.State()); err != nil {
				t.Fatalf("%s: Restore: %v", m.Name, err)
			}
			b, want := testBatch(exponential(rng, 64)), make([]float64, 64)
			step(whole, want, b, Step{T: 6, Rate: .01, GradNorm: .1})
			step(resumed, w, b, Step{T: 6, Rate: .01, GradNorm: .1})
			if diff := cmp.Diff(want, w); diff != "" {
				t.Errorf("%s on %v: the weights after a resume differ (-without +with):\n%s",
					m.Name, p, diff)
			}
			if diff := cmp.Diff(whole.State().Numbers, resumed.State().Numbers); diff != "" {
				t.Errorf("%s on %v: the state after a resume differs (-without +with):\n%s",
					m.Name, p, diff)
			}
			if diff := cmp.Diff(reported(whole), reported(resumed)); diff != "" {
				t.Errorf("%s on %v: the measures after a resume differ (-without +with):\n%s",
					m.Name, p, diff)
			}
			for name := range reported(whole) {
				if !slices.ContainsFunc(m.Measures,
					func(d Measure) bool { return d.Name == name }) {
					t.Errorf("%s reports %s, which its description does not have", m.Name, name)
				}
			}
		}
	}
}

// Where a method gives weights sample by sample, they are the weights of the batch, in any parts
// and at any state.
func TestSamplewise(t *testing.T) {
	rng := testRand(26)
	by := map[Algorithm]bool{}
	for _, p := range testProblems(.5) {
		for _, m := range Methods() {
			if m.Applies(p.Set) != nil {
				continue
			}
			trainer := newTrainer(t, m.Name, p, nil)
			w, parts := make([]float64, 64), make([]float64, 64)
			weigh := trainer.Samplewise()
			by[m.Name] = weigh != nil
			for i := range 3 {
				b := testBatch(exponential(rng, 64))
				if weigh != nil {
					weigh(parts[40:], b.Losses[40:])
					weigh(parts[:40], b.Losses[:40])
				}
				step(trainer, w, b, Step{T: int64(i + 1), Rate: .01, GradNorm: 1})
				if weigh != nil && !slices.Equal(w, parts) {
					t.Errorf("%s on %v: the weights of samples are not those of their batch",
						m.Name, p)
				}
			}
		}
	}
	for _, name := range []Algorithm{ERM, SFK, PGD, PAN} {
		if !by[name] {
			t.Errorf("%s does not weigh sample by sample", name)
		}
	}
	if newTrainer(t, SFKAuto, testProblems(.5)[0], nil).Samplewise() != nil {
		t.Error("sfk-auto, whose z moves on the batch before, weighs sample by sample")
	}
}

func TestRestoreRefusesOtherStates(t *testing.T) {
	p := testProblems(.5)[0]
	for name, s := range map[Algorithm]State{
		SFK: {Numbers: map[string]float64{"lambda": 1, "eta": 1, "picked_step": 1}},
		PGD: {}, PAN: {},
		"group": {Numbers: map[string]float64{"log_q0": -1}},
		"nsgdm": {Numbers: map[string]float64{"lambda": 1, "eta": 1}},
		"jtt":   {Flags: map[string][]bool{"wrong": {true}}},
		"scent": {Numbers: map[string]float64{"log_alpha": 0, "nu": 1}},
		"scdro": {Numbers: map[string]float64{"nu": 1, "begun": 1, "lambda": 1}},
	} {
		if err := newTrainer(t, name, p, nil).Restore(s); err == nil {
			t.Errorf("%s took the state %+v", name, s)
		}
	}
}

func TestMethodErrors(t *testing.T) {
	p := testProblems(.5)[0]
	for _, c := range []struct {
		name     Algorithm
		p        *Problem
		settings map[string]Auto
		want     string
	}{
		{SFK, &Problem{}, nil, "uncertainty"},
		{PGD, nil, nil, "no problem"},
		{SFK, p, map[string]Auto{"lambda": Fixed(0)}, "lambda 0"},
		{PAN, p, map[string]Auto{"eta": Fixed(math.NaN())}, "eta NaN"},
	} {
		t.Run(string(c.name), func(t *testing.T) {
			m, err := Find(c.name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.New(task(m, c.p, c.settings)); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
			}
		})
	}
	if _, err := Find("adam"); err == nil || !strings.Contains(err.Error(), `algorithm "adam"`) {
		t.Errorf("Find(%q) = %v, want an error with %q", "adam", err, `algorithm "adam"`)
	}
	for _, m := range Methods() {
		err := m.Applies(CVaR{.2})
		if (err != nil) != m.Lambda {
			t.Errorf("%s applies to CVaR: %v, want an error: %t", m.Name, err, m.Lambda)
		}
		if err != nil && !strings.Contains(err.Error(), "has no lambda") {
			t.Errorf("%s applies to CVaR: %v, want an error with %q", m.Name, err, "has no lambda")
		}
	}
}

// Every method's description is complete, and its settings accept what they say.
func TestMethodsAreDescribed(t *testing.T) {
	for _, m := range Methods() {
		if m.Doc == "" || m.New == nil {
			t.Errorf("%s lacks a description or a function New: %+v", m.Name, m)
		}
		if m.StepCost() < 1 {
			t.Errorf("%s: a step costs %v, want at least 1", m.Name, m.StepCost())
		}
		for _, s := range m.Settings {
			if slices.Contains([]string{s.Key, s.Doc, s.Want}, "") {
				t.Errorf("%s: a setting lacks a key, a description or its values: %+v", m.Name, s)
			}
			if !s.Holds(s.Default) {
				t.Errorf("%s: %s refuses its default, %v", m.Name, s.Key, s.Default)
			}
			refused := []Auto{Fixed(math.NaN())}
			if !s.Auto {
				refused = append(refused, Auto{})
			}
			if s.Whole {
				refused = append(refused, Fixed(1.5))
			}
			if s.On {
				refused = append(refused, Fixed(2))
			}
			for _, v := range refused {
				if s.Holds(v) {
					t.Errorf("%s: %s takes %v", m.Name, s.Key, v)
				}
			}
			if !m.ReadsKey(s.Key) {
				t.Errorf("%s does not read its own %s", m.Name, s.Key)
			}
		}
		for _, d := range m.Measures {
			if slices.Contains([]string{d.Name, d.Title, d.Doc, d.Head()}, "") {
				t.Errorf("%s: a measure lacks a name, a title, a description or a heading: %+v",
					m.Name, d)
			}
		}
	}
}

func TestRegister(t *testing.T) {
	before := len(Methods())
	toy := erm()
	toy.Name = "toy"
	remove := Register(toy)
	m, err := Find("toy")
	if err != nil {
		t.Fatalf("Find after Register: %v", err)
	}
	if m.Doc != toy.Doc {
		t.Errorf("Find after Register gives the method %q, want %q", m.Doc, toy.Doc)
	}
	if got := len(Methods()); got != before+1 {
		t.Errorf("%d methods after Register, want %d", got, before+1)
	}
	remove()
	if _, err := Find("toy"); err == nil {
		t.Error("Find after remove still finds the method")
	}
	if got := len(Methods()); got != before {
		t.Errorf("%d methods after remove, want %d", got, before)
	}
	defer func() {
		if recover() == nil {
			t.Error("a name was taken twice")
		}
	}()
	Register(erm())
}

func TestNoAllocations(t *testing.T) {
	b := testBatch(exponential(testRand(25), 128))
	w := make([]float64, 128)
	sink := 0.0
	put := func(_ string, v float64) { sink += v }
	for _, p := range testProblems(.5) {
		for _, m := range Methods() {
			if m.Applies(p.Set) != nil {
				continue
			}
			trainer := newTrainer(t, m.Name, p, map[string]Auto{"c": {}})
			at := int64(0)
			if n := testing.AllocsPerRun(10, func() {
				at++
				step(trainer, w, b, Step{T: at, Rate: .01, GradNorm: 1})
				trainer.Report(put)
			}); n != 0 {
				t.Errorf("%v, %s: %v allocations a step", p, m.Name, n)
			}
		}
	}
}

// A method that uses groups says of which split, and the others read none. Whoever reads the groups
// of training samples refuses a task without them, and one in which they are all the same.
func TestMethodsSayWhichGroupsTheyRead(t *testing.T) {
	of := map[string]int{}
	for _, m := range Methods() {
		if got, want := m.GroupsOf != nil, m.Uses == "groups"; got != want {
			t.Errorf("%s: GroupsOf is set: %v, want %v, since it uses %q", m.Name, got, want,
				m.Uses)
		}
		known := task(&m, testProblems(.5)[0], nil)
		if err := m.CheckGroups(&known); err != nil {
			t.Errorf("%s, groups known: %v", m.Name, err)
		}
		unknown := known
		unknown.Ungrouped, unknown.Groups = true, []int{40, 0, 0}
		same := known
		same.Groups = []int{40, 0, 0}
		split := ""
		if m.GroupsOf != nil {
			split = m.GroupsOf(&unknown)
		}
		of[split]++
		for what, task := range map[string]*Task{"unknown": &unknown, "all the same": &same} {
			refused := m.CheckGroups(task) != nil
			if want := m.GroupsOf != nil && m.GroupsOf(task) == "train"; refused != want {
				t.Errorf("%s, groups %s: refused %v, want %v", m.Name, what, refused, want)
			}
		}
	}
	for _, split := range []string{"train", "val", ""} {
		if of[split] == 0 {
			t.Errorf("no method reads the groups of %q", split)
		}
	}
}
