package certificate

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
)

func first(list []string, _ dro.Plan) []string { return list }

// A run that meets every condition is told nothing, and one that lacks any of them is told that.
func TestUnmetOfTheTheorem(t *testing.T) {
	preset, err := presets.Load("theorem")
	if err != nil {
		t.Fatal(err)
	}
	bounds := dro.Assumptions{Epsilon: .5, Rho: .5, Bound: 1, Lipschitz: 2.404560,
		Smoothness: 17.345719, Gap: 2.123720} // as drolab theory prints them
	var proved dro.Assumptions
	of := func(change func(*spec.Spec, *runner.Past), unproved error) string {
		t.Helper()
		s := preset.Spec
		proved = bounds
		past := &runner.Past{Meta: &runner.Meta{}, From: &runner.State{}}
		past.From.Step = int64(s.Epochs)
		change(&s, past)
		past.Meta.Spec = s
		return strings.Join(first(unmetConditions(past, proved, unproved)), "; ")
	}
	if got := of(func(*spec.Spec, *runner.Past) {}, nil); got != "" {
		t.Errorf("a run that has all is told: %s", got)
	}
	own := func(key string, v float64) func(*spec.Spec, *runner.Past) {
		return func(s *spec.Spec, _ *runner.Past) { s.SetOwn(key, dro.Fixed(v)) }
	}
	set := func(assignment string) func(*spec.Spec, *runner.Past) {
		return func(s *spec.Spec, _ *runner.Past) {
			if err := presets.Set(s, assignment); err != nil {
				t.Fatal(err)
			}
		}
	}
	for want, change := range map[string]func(*spec.Spec, *runner.Past){
		"the steps of SFK-DRO (the method is sfk-auto)": set("algorithms=[sfk-auto]"),
		"(the method is pgd)":                           set("algorithms=[pgd]"),
		"no momentum (0.9)":                             set("momentum=.9"),
		"no momentum on z (0.5)":                        own("momentum_z", .5),
		"no weight decay (0.1)":                         set("weight_decay=.1"),
		"no clipping of gradients (1)":                  set("clip=1"),
		"SGD steps (adamw)":                             set("optimizer=adamw"),
		"losses without noise (dropout 0.5)": func(s *spec.Spec, _ *runner.Past) {
			s.Model, s.Dropout = "alexnet", .5
		},
		"batch normalisation in resnet8":                set("model=resnet8"),
		"the training samples themselves (augment)":     set("augment=true"),
		"independent draws of samples (sampler groups)": set("sampler=groups"),
		"(sampler samples)":                             set("sampler=samples"),
		"separate draws for z (share_batch)":            own("share_batch", 1),
		"a random step's output (output least)":         own("output", 0),
		"fixed in advance (patience 3)":                 set("patience=3"),
		"one step size (schedule cosine, warmup 0)":     set("schedule=cosine"),
		"0.1 times it from epoch 41 on":                 set("lr_drop_epoch=40"),
		"smooth as cressie-read (kl)":                   set("uncertainty=kl"),
		"C of at least D² L_z = 38 on this box (37)":    own("c", 37),
		"C of at least 2L_x = 115.64 (115)":             own("c", 115),
		"α = 1/(2C) = 0.0043103 (0.0044)":               set("lr=.0044"),
		"α of at most 1/(2L_x) = 0.0086477 (0.0087)":    set("lr=.0087"),
		"reaches from λ0 to 2 and from η = 0 to 1":      set("lambda_max=1.99"),
		"η = 0 to 1 (lambda_max, eta_min, eta_max)":     set("eta_min=0.01"),
		"n_x of at least 554 (553)":                     set("batch=553"),
		"n_z of at least 4938 (4937)":                   set("batch_z=4937"),
		"D σ1/C of at most 1 (7.57)": func(s *spec.Spec, _ *runner.Past) {
			s.Lambda0, proved.Lipschitz, proved.Smoothness = 1.9, 1e-6, 1e-6
			s.SetOwn("c", dro.Fixed(.1))
		},
		"λ0 below λ̄ (2)": set("lambda0=2"),
		"T of at least 47300 (47299)": func(_ *spec.Spec, p *runner.Past) {
			p.From.Step--
		},
		"a start at x_1 and z_1 (a fork of other@3)": func(_ *spec.Spec, p *runner.Past) {
			p.Meta.Parent = "other@3"
		},
		"settings that stay (1 changes)": func(_ *spec.Spec, p *runner.Past) {
			p.Log = make([]runner.KnobEvent, 1)
		},
	} {
		if got := of(change, nil); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	none := func(*spec.Spec, *runner.Past) {}
	if got := of(none, errors.New("no proof")); got != "no proof" {
		t.Errorf("without a proof the unmet conditions are %q, want %q", got, "no proof")
	}
}

// The constants of the outputs bound the loss, its gradient and its curvature for any numbers of
// classes, and are within a factor of two of what is found.
func TestProvedBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	loss := func(o []float64) float64 { // of class 0
		sum := 0.0
		for _, v := range o {
			sum += math.Exp(v - o[0])
		}
		return 1 - 1/sum
	}
	const h, gradient, curvature = 1e-4, .3535533905932738, 3. / 8
	steepest, most := 0.0, 0.0
	for range 200_000 {
		o := make([]float64, 2+rng.IntN(3))
		along, norm := make([]float64, len(o)), 0.0
		for i := range o {
			o[i], along[i] = 3*rng.NormFloat64(), rng.NormFloat64()
			norm = math.Hypot(norm, along[i])
		}
		up, down := slices.Clone(o), slices.Clone(o)
		for i, v := range along {
			up[i], down[i] = o[i]+h*v/norm, o[i]-h*v/norm
		}
		steepest = max(steepest, math.Abs(loss(up)-loss(down))/(2*h))
		most = max(most, math.Abs(loss(up)+loss(down)-2*loss(o))/(h*h))
	}
	if steepest > gradient || steepest < .99*gradient {
		t.Errorf("the largest slope found is %v, want 99 %% to 100 %% of what is proved, %v",
			steepest, gradient)
	}
	if most > curvature || most < curvature/2 {
		t.Errorf("the largest curvature found is %v, want 50 %% to 100 %% of what is proved, %v",
			most, curvature)
	}
}

// What is proved of the preset's losses bounds what is measured at a network of it, and the
// theorem's plan is that of the preset's settings. A short run is told the steps that it lacks, and
// nothing else.
func TestTheoremOfThePreset(t *testing.T) {
	preset, err := presets.Load("theorem")
	if err != nil {
		t.Fatal(err)
	}
	s := preset.Spec
	s.Epochs = 200
	r := recordtest.Train(t, s)
	past, err := r.Past(-1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Freeze(t.Context(), past, Means{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pass, err := f.Pass(runner.SplitTrain)
	if err != nil {
		t.Fatal(err)
	}
	found, err := f.Constants(pass, 50)
	if err != nil {
		t.Fatal(err)
	}
	held, err := CheckTheorem(t.Context(), r, "", true)
	if err != nil {
		t.Fatal(err)
	}
	if held.Theorem == nil {
		t.Fatalf("CheckTheorem() plans nothing: %+v", held)
	}
	h := held.Theorem
	for name, c := range map[string]struct{ measured, proved float64 }{
		"B": {found.Bound, h.Bound}, "G": {found.Lipschitz, h.Lipschitz},
		"L": {found.Smoothness, h.Smoothness}, "L_z": {found.Lz.Float(), found.LzBound.Float()},
	} {
		if c.measured > c.proved {
			t.Errorf("%s is %v as measured, want at most %v, as proved", name, c.measured, c.proved)
		}
	}
	evals, err := r.Evaluations()
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string][2]float64{
		"ε": {h.Epsilon, .5}, "G": {h.Lipschitz, 2.404560}, "L": {h.Smoothness, 17.345719},
		"Δ": {h.Gap, 2.123720}, "T": {h.T.Float64(), 47299.474}, "n_z": {h.Nz.Float64(), 4937.045},
		"n_x": {h.Nx.Float64(), 553.33140},
	} {
		if math.Abs(of[0]/of[1]-1) > 1e-6 {
			t.Errorf("%s = %v, want %v", name, of[0], of[1])
		}
	}
	// The start is not stationary, and the run soon is.
	first, last := evals[0], evals[len(evals)-1]
	if got := first.Named("dual_gap").Float(); !(got > .5) {
		t.Errorf("the first dual gap is %v, want more than ε, 0.5", got)
	}
	if got := last.Named("dual_gap").Float(); !(got < .5) {
		t.Errorf("the last dual gap is %v, want less than ε, 0.5", got)
	}
	if got, want := h.Reached.Float(), 10*(556+4938.); got < want {
		t.Errorf("the run is stationary after %v samples, want %v or more", got, want)
	}
	if h.GradNorm.Applies() {
		t.Errorf("the gradient norm of a run that is too short is %v, want none", h.GradNorm)
	}
	if got := held.Unmet; len(got) != 1 || !strings.HasPrefix(got[0], "T of at least 47300 (200)") {
		t.Errorf("the unmet conditions are %q, want the number of steps alone", got)
	}
	held, err = CheckTheorem(t.Context(), r, "", false)
	if err != nil {
		t.Fatal(err)
	}
	if held.Theorem != nil {
		t.Errorf("without the data the theorem is %+v, want none", held.Theorem)
	}
	want := "losses with proved bounds (not looked for without the data)"
	if !slices.Contains(held.Unmet, want) {
		t.Errorf("without the data the unmet conditions are %q, want %q among them", held.Unmet,
			want)
	}
}
