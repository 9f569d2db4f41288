package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/peertest"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// refitted returns a brief spec of a method that fits the last layer again, to held-out samples.
func refitted(a dro.Algorithm) spec.Spec {
	s := brief(a)
	s.ValFraction, s.Model, s.Hidden = .3, "mlp", []int{8}
	return s
}

// Methods for groups here and in Python, by their authors' steps, on features with cells of .3 % of
// the samples: the worst cells agree, and ERM's is tens of points below.
func TestGroupMethodsAgainstScikitLearn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "features.npz")
	out := peertest.Run(t, "numpy scipy sklearn", filepath.Join("peer", "groups.py"), path)
	var want struct {
		ERM                    float64
		DFR, C, AFR, Subsample []float64
		DFRTrain               []float64 `json:"dfr_train"`
	}
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		algorithm dro.Algorithm
		split     string // the setting dfr_split; "": none
		epochs    int    // of 125 steps; AFR's weights come from a converged ERM
		want      []float64
		within    float64
	}{
		{"dfr", "auto", 1, want.DFR, 1}, {"dfr", "train", 1, want.DFRTrain, 1},
		{"afr", "", 10, want.AFR, 1.5}, {"subsample", "", 10, want.Subsample, 1.5},
	} {
		var specs []spec.Spec
		for seed := range uint64(len(c.want)) {
			s := spec.Defaults()
			s.Algorithms, s.Seed = []dro.Algorithm{c.algorithm}, 1+seed
			s.Dataset, s.Model, s.Augment = "npz:"+path+"?cells=yes", "linear", false
			s.Epochs, s.LRDropEpoch, s.EvalEvery = c.epochs, 0, 0
			if c.split != "" {
				if err := s.Assign("dfr_split", []byte(`"`+c.split+`"`)); err != nil {
					t.Fatal(err)
				}
			}
			specs = append(specs, s)
		}
		var ours []float64
		for _, tr := range runAll(t, 2, specs...) {
			if tr.summary == nil || tr.summary.Status != runner.Done {
				t.Fatalf("%s: the run has the summary %+v, want one that is done", c.algorithm,
					tr.summary)
			}
			ours = append(ours, 100*tr.summary.Named("worst_group_accuracy").Float())
		}
		mean := measure.Mean(ours)
		t.Logf("%s %s: worst group %.2f %%, in Python %.2f, of ERM %.2f", c.algorithm, c.split,
			ours, c.want, want.ERM)
		if d := mean - measure.Mean(c.want); !(math.Abs(d) <= c.within) {
			t.Errorf("%s %s: worst group %.2f %%, in Python %.2f: the means differ by %.2f, want "+
				"at most %v", c.algorithm, c.split, ours, c.want, d, c.within)
		}
		if want.ERM > mean-10 {
			t.Errorf("%s %s: worst group %.2f %%, want 10 more than ERM's %.2f", c.algorithm,
				c.split, mean, want.ERM)
		}
	}
}

// Until its end such a run is ERM's. Then only the last layer changes, to the one that the method
// fits to the features. The validation split has no measures, and the run says so.
func TestRefittedRunIsERMButForItsLastLayer(t *testing.T) {
	erm := runAll(t, 1, refitted(dro.ERM))[0]
	was := erm.states[len(erm.states)-1]
	for _, a := range []dro.Algorithm{"dfr", "afr", "evals"} {
		settings := refitted(a)
		settings.Select = spec.SelectValWorst
		tr := runAll(t, 1, settings)[0]
		expectNewLastLayer(t, a, was, tr.states[len(tr.states)-1])
		for _, e := range evals(tr) {
			expectNoValidation(t, a, e)
			if n := e.ByGroup.Named("val_class_accuracy"); n != nil {
				t.Errorf("%s: step %d has val_class_accuracy %v, want none", a, e.Step, n)
			}
		}
		expectRefittedOnVal(t, a, tr)
		if n := tr.meta.ClassCounts.Val; n != nil {
			t.Errorf("%s: the validation split has the counts %v, want none", a, n)
		}
		expectFitsTold(t, a, tr)
		for _, text := range []string{"no val_ measure applies", "no step is selected",
			"was fitted again"} {
			if !strings.Contains(warnings(tr), text) {
				t.Errorf("%s: the run does not say %q: %s", a, text, warnings(tr))
			}
		}
	}
}

// expectFitsTold expects the log to tell of each fit of the refit, between the last step and the
// evaluation of the new layer.
func expectFitsTold(t *testing.T, a dro.Algorithm, tr *trace) {
	t.Helper()
	var got []dro.Fit
	for i, e := range tr.events {
		fit, ok := e.(*runner.RefitEvent)
		if !ok {
			continue
		}
		got = append(got, dro.Fit{Number: fit.Fit, Of: fit.Fits})
		before, isStep := tr.events[i-1].(*runner.StepEvent)
		if len(got) == 1 && (!isStep || before.Step != tr.meta.Steps) || fit.Step != tr.meta.Steps {
			t.Errorf("%s: behind %+v the log tells of the fit %+v", a, tr.events[i-1], fit)
		}
	}
	all := map[dro.Algorithm]int{"dfr": 90, "afr": 1, "evals": 25}[a]
	want := []dro.Fit{{}}
	for i := range all {
		want = append(want, dro.Fit{Number: i + 1, Of: all})
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: the log tells of the fits %v, want %v", a, got, want)
	}
}

// expectNewLastLayer expects the weights of two checkpoints to differ in the last layer, and there
// alone.
func expectNewLastLayer(t *testing.T, a dro.Algorithm, was, is *runner.State) {
	t.Helper()
	last := len(is.Parameters) - 2
	if !sameTensors(is.Parameters[:last], was.Parameters[:last]) {
		t.Errorf("%s: weights before the last layer were fitted again", a)
	}
	if sameTensors(is.Parameters[last:], was.Parameters[last:]) {
		t.Errorf("%s: the last layer was not fitted again", a)
	}
}

// expectNoValidation expects an evaluation without validation accuracy, which is not selected.
func expectNoValidation(t *testing.T, a dro.Algorithm, e *runner.EvalEvent) {
	t.Helper()
	if n := e.Named("val_accuracy"); n.Applies() {
		t.Errorf("%s: step %d has val_accuracy %v, want none", a, e.Step, n)
	}
	if e.Selected {
		t.Errorf("%s: step %d is selected, want none", a, e.Step)
	}
}

// expectRefittedOnVal expects a run that selects no step, since the last layer was fitted to the
// validation split.
func expectRefittedOnVal(t *testing.T, a dro.Algorithm, tr *trace) {
	t.Helper()
	if s := tr.summary.Selected; s != nil {
		t.Errorf("%s: step %d is selected, want none", a, s.Step)
	}
	if tr.meta.Refitted == nil {
		t.Errorf("%s: run.json does not count the samples of the refit: %+v", a, tr.meta.Parts)
	}
}

// onTrain returns a spec like refitted, with the layer fitted to training samples.
func onTrain(t *testing.T, a dro.Algorithm) spec.Spec {
	t.Helper()
	s := refitted(a)
	if err := s.Assign(string(a)+"_split", []byte(`"train"`)); err != nil {
		t.Fatal(err)
	}
	s.Select = spec.SelectValWorst
	return s
}

// If the layer is fitted to training samples, the validation split has its usual measures. The last
// step is selected, because until then the network is ERM's.
func TestRefitOnTheTrainingSplitKeepsValidation(t *testing.T) {
	for _, a := range []dro.Algorithm{"dfr", "afr"} {
		tr := runAll(t, 1, onTrain(t, a))[0]
		if !tr.summary.Named("val_accuracy").Applies() {
			t.Errorf("%s: the summary has no val_accuracy", a)
		}
		if tr.summary.Selected == nil {
			t.Errorf("%s: no step is selected", a)
		}
		if said := warnings(tr); !strings.Contains(said, "the split train") {
			t.Errorf("%s: the run does not say that it refits on the split train: %s", a, said)
		}
		for _, e := range evals(tr) {
			if want := e.Step == tr.meta.Steps; e.Selected != want {
				t.Errorf("%s: step %d is selected: %v, want %v", a, e.Step, e.Selected, want)
			}
			if !e.Named("val_accuracy").Applies() {
				t.Errorf("%s: step %d has no val_accuracy", a, e.Step)
			}
		}
	}
}

// With afr_split=train, ERM trains without a fifth of the training samples, and the last layer is
// fitted to that fifth alone.
func TestAFRTrainsInTwoStages(t *testing.T) {
	afr, erm := runAll(t, 1, onTrain(t, "afr"))[0], runAll(t, 1, refitted(dro.ERM))[0]
	if is, was := afr.states[len(afr.states)-1], erm.states[len(erm.states)-1]; sameTensors(
		is.Parameters[:1], was.Parameters[:1]) {
		t.Error("the first stage is ERM's on all samples")
	}
	samples := 0
	for _, n := range afr.meta.ClassCounts.Train {
		samples += n
	}
	want := fmt.Sprintf("it used the %d samples that are set apart", samples/5)
	if !strings.Contains(warnings(afr), want) {
		t.Errorf("the run does not say %q: %s", want, warnings(afr))
	}
}

// Samples that ERM has trained on can no longer be set apart in a fork, and samples that were set
// apart stay so.
func TestForkCannotSetApart(t *testing.T) {
	for _, parent := range []struct {
		spec spec.Spec
		may  bool
	}{{refitted(dro.ERM), false}, {refitted("afr"), false}, {onTrain(t, "afr"), true}} {
		parent.spec.CheckpointEvery = 4
		store := newMemoryStore()
		q := NewQueue(context.Background(), Settings{Store: store})
		ids, err := q.Start(runner.Request{Specs: []spec.Spec{parent.spec}})
		if err != nil {
			t.Fatal(err)
		}
		q.Wait()
		_, err = forkAt(t, store, store.runs[ids[0]], 4, func(s *spec.Spec) {
			s.Algorithms = []dro.Algorithm{"afr"}
			if err := s.Assign("afr_split", []byte(`"train"`)); err != nil {
				t.Fatal(err)
			}
		})
		if got := err == nil; got != parent.may {
			t.Errorf("a fork of %s = %v, want it to be possible: %v", parent.spec.Algorithm(), err,
				parent.may)
		}
		if err != nil && !strings.Contains(err.Error(), "afr_split: train: expected val") {
			t.Errorf("a fork of %s = %v, want an error about afr_split", parent.spec.Algorithm(),
				err)
		}
		if !parent.may {
			continue
		}
		if _, err := forkAt(t, store, store.runs[ids[0]], 4, func(s *spec.Spec) {
			s.Algorithms = []dro.Algorithm{dro.ERM}
		}); err != nil {
			t.Error(err)
		}
	}
}

// A run that is stopped at any step and resumed ends like an uninterrupted run.
func TestRefitIsResumed(t *testing.T) {
	for _, s := range testsize.Few(1, refitted("dfr"), refitted("afr"), refitted("evals"),
		onTrain(t, "afr")) {
		s.LogEvery, s.Model = 1, "linear"
		whole := runAll(t, 1, s)[0]
		for _, step := range []int64{1, whole.meta.Steps - 1} {
			expectSameRun(t, stoppedAndResumed(t, s, step, 0), whole)
		}
	}
}

// panickingLayer is a network that panics, once, when its last layer is replaced.
type panickingLayer struct {
	train.Network
	train.LastLayer
	whole *bool
}

func (f panickingLayer) SetLayer(l dro.Layer) {
	if *f.whole {
		*f.whole = false
		panic("lost during the refit")
	}
	f.LastLayer.SetLayer(l)
}

// A run that is lost during the refit goes on from a checkpoint of ERM's network, begins the refit
// again, and ends like a run that was not lost.
func TestRefitThatIsInterruptedBeginsAgain(t *testing.T) {
	for _, s := range testsize.Few(1, refitted("dfr"), refitted("afr"), refitted("evals"),
		onTrain(t, "afr")) {
		s.CheckpointEvery = 4
		whole, store, unhurt := runAll(t, 1, s)[0], newMemoryStore(), true
		build := func(s *spec.Spec, d *data.Dataset, threads int) (train.Network, error) {
			n, err := train.Native(s, d, threads)
			return panickingLayer{n, n.(train.LastLayer), &unhurt}, err
		}
		q := NewQueue(t.Context(), Settings{Store: store, Network: build, Reports: t.TempDir()})
		ids, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{s}})
		if err != nil {
			t.Fatal(err)
		}
		lost := store.runs[ids[0]]
		if o := q.Wait()[0]; o.Status != runner.Failed {
			t.Fatalf("%s: the outcome is %+v, want %s", s.Algorithm(), o, runner.Failed)
		}
		if unhurt {
			t.Fatalf("%s: the run failed before the refit", s.Algorithm())
		}
		if len(lost.states) == 0 {
			t.Fatalf("%s: the lost run has no checkpoint", s.Algorithm())
		}
		if got := lost.states[len(lost.states)-1].Step; got >= lost.meta.Steps {
			t.Fatalf("%s: the lost run has a checkpoint of step %d, want one before the end, %d",
				s.Algorithm(), got, lost.meta.Steps)
		}
		if err := q.Resume(ids[0]); err != nil {
			t.Fatal(err)
		}
		if o := q.Wait()[0]; o.Status != runner.Done {
			t.Fatalf("%s: the outcome is %+v, want %s", s.Algorithm(), o, runner.Done)
		}
		if n := strings.Count(warnings(lost), "was fitted again"); n != 1 {
			t.Errorf("%s: the log tells of %d refits, want 1", s.Algorithm(), n)
		}
		lost.events = afterResume(lost.events)
		expectSameRun(t, lost, whole)
	}
}

// orderedLayer is a network that orders something, once, when the refit asks for the last layer.
type orderedLayer struct {
	train.Network
	train.LastLayer
	order *func()
}

func (o orderedLayer) Layer() dro.Layer {
	if order := *o.order; order != nil {
		*o.order = nil
		order()
	}
	return o.LastLayer.Layer()
}

// A stop or pause during the refit is obeyed before its end: nothing but the refit is lost.
func TestRefitObeysOrders(t *testing.T) {
	for _, s := range testsize.Few(1, refitted("evals"), refitted("dfr"), refitted("afr")) {
		whole := runAll(t, 1, s)[0]
		for _, pauses := range []bool{false, true} {
			store, order := newMemoryStore(), func() {}
			build := func(s *spec.Spec, d *data.Dataset, threads int) (train.Network, error) {
				n, err := train.Native(s, d, threads)
				return orderedLayer{n, n.(train.LastLayer), &order}, err
			}
			q := NewQueue(t.Context(), Settings{Store: store, Network: build})
			started := make(chan string, 1)
			order = func() {
				id, give := <-started, q.Stop
				if pauses {
					give = q.Pause
				}
				if err := give(id); err != nil {
					t.Error(err)
				}
				if pauses {
					if err := q.Stop(id); err != nil {
						t.Error(err)
					}
				}
			}
			ids, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{s}})
			if err != nil {
				t.Fatal(err)
			}
			id := ids[0]
			started <- id
			if o := q.Wait()[0]; o.Status != runner.Stopped {
				t.Fatalf("%s: the outcome is %+v, want %s", s.Algorithm(), o, runner.Stopped)
			}
			run := store.runs[id]
			if got := run.states[len(run.states)-1].Step; got != run.meta.Steps {
				t.Errorf("%s: the last checkpoint is of step %d, want the last, %d", s.Algorithm(),
					got, run.meta.Steps)
			}
			if said := warnings(run); strings.Contains(said, "was fitted again") {
				t.Errorf("%s: the log of the stopped run tells of a refit: %s", s.Algorithm(), said)
			}
			if err := q.Resume(id); err != nil {
				t.Fatal(err)
			}
			if o := q.Wait()[0]; o.Status != runner.Done {
				t.Fatalf("%s: the outcome is %+v, want %s", s.Algorithm(), o, runner.Done)
			}
			run.events = afterResume(run.events)
			expectSameRun(t, run, whole)
		}
	}
}

// A fork of a run that has ended is refitted at its own end and only there: with no further step,
// or after further steps, which undo the refit of the parent. The parent's val_ measures end with
// it.
func TestForkOfAnEndedRunIsRefitted(t *testing.T) {
	for _, a := range testsize.Few[dro.Algorithm](1, "dfr", "afr", "evals") {
		parent := refitted(dro.ERM)
		parent.Select = spec.SelectValWorst
		store := newMemoryStore()
		q := NewQueue(t.Context(), Settings{Store: store})
		ids, err := q.Start(runner.Request{Specs: []spec.Spec{parent}})
		if err != nil {
			t.Fatal(err)
		}
		q.Wait()
		erm := store.runs[ids[0]]
		if !erm.summary.Named("val_accuracy").Applies() {
			t.Fatal("the parent has no val_ measure")
		}
		fork := func(from *trace, epochs int) *trace {
			tr, err := forkAt(t, store, from, from.meta.Steps, func(s *spec.Spec) {
				s.Algorithms, s.Epochs = []dro.Algorithm{a}, epochs
			})
			if err != nil {
				t.Fatal(err)
			}
			said := warnings(tr)
			for _, text := range []string{"was fitted again", "no val_ measure applies"} {
				if n := strings.Count(said, text); n != 1 {
					t.Errorf("%s from %s: the log says %q %d times, want once: %s", a, from.meta.ID,
						text, n, said)
				}
			}
			for _, e := range evals(tr) {
				expectNoValidation(t, a, e)
			}
			end := tr.states[len(tr.states)-1]
			if end.Step != tr.meta.Steps {
				t.Errorf("%s: the last checkpoint is of step %d, want %d", a, end.Step,
					tr.meta.Steps)
			}
			if n := end.Method.Numbers["refitted"]; n != 1 {
				t.Errorf("%s: the last checkpoint has refitted = %v, want 1", a, n)
			}
			expectRefittedOnVal(t, a, tr)
			return tr
		}
		at := fork(erm, parent.Epochs)
		expectNewLastLayer(t, a, erm.states[len(erm.states)-1], at.states[len(at.states)-1])
		fork(erm, parent.Epochs+1)
		fork(at, parent.Epochs+1)
		if _, err := forkAt(t, store, at, at.meta.Steps, func(*spec.Spec) {}); err == nil {
			t.Errorf("%s: a refitted run was refitted without a step", a)
		}
	}
}

// A method names the data that it lacks before a run begins.
func TestRefitSaysWhatItLacksBeforeTheStart(t *testing.T) {
	noVal, noSplit, evals := brief("afr"), brief("dfr"), brief("evals")
	noVal.ValFraction, noSplit.ValFraction, evals.ValFraction = 0, 0, 0
	noSplit.SetOwn("dfr_split", dro.Fixed(1))
	for _, s := range []spec.Spec{noVal, noSplit, evals} {
		store := newMemoryStore()
		q := NewQueue(t.Context(), Settings{Store: store, Threads: 1})
		_, err := q.Start(runner.Request{Preset: "test", Specs: []spec.Spec{s}})
		if err == nil || !strings.Contains(err.Error(), "val_fraction") {
			t.Errorf("%s: Start() = %v, want an error with val_fraction", s.Algorithm(), err)
		}
		if n := len(store.runs); n > 0 {
			t.Errorf("%s: the refused start leaves %d runs, want none", s.Algorithm(), n)
		}
	}
}

// A class of which the half of the validation split that a layer is fitted to has too few samples
// is refused before the start, whatever min_group is. Another seed may divide the split otherwise.
func TestHalfWithFewSamplesIsRefusedBeforeTheStart(t *testing.T) {
	text := "a,b,label,part\n"
	for i := range 330 {
		part := []string{"train", "val", "test"}[i%3]
		label := []string{"one", "other"}[i/3%2]
		if i < 30 && (part != "val" || i < 12) { // 4 for validation
			label = "rare"
		}
		text += fmt.Sprintf("%d,%d,%s,%s\n", i*7%50, i%11, label, part)
	}
	path := filepath.Join(t.TempDir(), "rare.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	refused, done := 0, 0
	for seed := range uint64(testsize.Pick(4, 12, 12)) {
		s := refitted("evals")
		s.Dataset, s.ValFraction, s.MinGroup, s.Seed = "csv:"+path+"?split=part", 0, 0, seed
		s.Epochs, s.LRDropEpoch = 1, 0
		store := newMemoryStore()
		q := NewQueue(t.Context(), Settings{Store: store, Threads: 1})
		ids, err := q.Start(runner.Request{Specs: []spec.Spec{s}})
		q.Wait()
		if err == nil {
			if sum := store.runs[ids[0]].summary; sum.Status != runner.Done {
				t.Errorf("seed %d: the run is %s: %s", seed, sum.Status, sum.Cause)
			}
			done++
			continue
		}
		refused++
		few := fmt.Sprintf("algorithm evals with seed %d: the half of the split val that the last "+
			"layer is fitted to has ", seed)
		const rest = " of class rare, expected at least 2: take more for validation, merge the " +
			"class or take another seed"
		said := strings.TrimSuffix(strings.TrimPrefix(err.Error(), few), rest)
		if said != "1 sample" && said != "0 samples" {
			t.Errorf("seed %d: Start() = %v, want %s1 sample%s", seed, err, few, rest)
		}
		if len(store.runs) > 0 {
			t.Errorf("seed %d: the refused start leaves a run", seed)
		}
	}
	if refused == 0 || done == 0 {
		t.Errorf("%d seeds are refused and %d are done, want some of each", refused, done)
	}
}

// The setting dfr_split is one of its words, also in run.json.
func TestSplitOfRefitIsAWord(t *testing.T) {
	s := refitted("dfr")
	if got := s.Text("dfr_split"); got != "auto" {
		t.Errorf("dfr_split is %s by default, want auto", got)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"dfr_split":"auto"`; !strings.Contains(string(text), want) {
		t.Errorf("run.json has %s, want %s in it", text, want)
	}
	if err := s.Assign("dfr_split", []byte(`"train"`)); err != nil {
		t.Errorf("Assign(dfr_split, train): %v", err)
	}
	if got := s.Text("dfr_split"); got != "train" {
		t.Errorf("dfr_split is %s, want the assigned train", got)
	}
	for _, wrong := range []string{`"test"`, `1`} {
		if err := s.Assign("dfr_split", []byte(wrong)); err == nil {
			t.Errorf("Assign(dfr_split, %s) = nil, want an error", wrong)
		}
	}
}

// A last layer is not fitted to fewer than min_group samples of a group, or of a class where the
// method uses no groups. Where the validation split lacks a group, the run says what it does.
func TestRefitOfFewSamples(t *testing.T) {
	table := func(rare, held int) string { // rare samples of training and of validation
		text := "a,b,g,label,part\n"
		for i := range 600 {
			part := []string{"train", "val", "test"}[i%3]
			text += fmt.Sprintf("%d,%d,%s,%d,%s\n", i*7%50, i%11, "fm"[i/6%2:][:1], i/3%2, part)
		}
		for i := range rare + held + 30 {
			part := "test"
			if i < rare {
				part = "train"
			} else if i < rare+held {
				part = "val"
			}
			text += fmt.Sprintf("%d,%d,rare,%d,%s\n", i*7%50, i%11, i%2, part)
		}
		path := filepath.Join(t.TempDir(), "rare.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return "csv:" + path + "?split=part"
	}
	const below = ", for the last layer, are below min_group=20: "
	for _, c := range []struct {
		algorithm  dro.Algorithm
		rare, held int
		split      string
		options    string
		want       string // of the error, or of the warnings
	}{
		{"dfr", 14, 4, "auto", "&group=g", "algorithm dfr: 4 samples of group rare in the split " +
			"val" + below + "take more for validation, set dfr_split=train, merge it or lower " +
			"min_group"},
		{"dfr", 14, 4, "val", "&group=g", "4 samples of group rare in the split val" + below},
		{"dfr", 14, 40, "train", "&group=g", "14 samples of group rare in the split train" + below +
			"merge it or lower min_group"},
		{"dfr", 14, 0, "auto", "&group=g", "14 samples of group rare in the split train" + below},
		{"dfr", 40, 0, "auto", "&group=g", "no validation split has samples of every group, so " +
			"the last layer is fitted to training samples at the end"},
		{"dfr", 20, 20, "auto", "&group=g", "the 220 samples of the split val"},
		{"afr", 14, 4, "val", "&group=g", "the 204 samples of the split val"},
		{"afr", 14, 4, "val", "&label=g&drop=label", "4 samples of class rare in the split val" +
			below},
		{"evals", 14, 40, "", "&group=g", "the 240 samples of the split val"},
		{"evals", 14, 4, "", "&label=g&drop=label", "4 samples of class rare in the split val" +
			below + "take more for validation, merge it or lower min_group"},
		{"afr", 95, 40, "train", "&label=g&drop=label", "19 samples of class rare in the split " +
			"train" + below + "merge it or lower min_group"},
	} {
		s := refitted(c.algorithm)
		s.Dataset, s.ValFraction, s.MinGroup = table(c.rare, c.held)+c.options, 0, 20
		if key := string(c.algorithm) + "_split"; c.split != "" {
			if err := s.Assign(key, []byte(`"`+c.split+`"`)); err != nil {
				t.Fatal(err)
			}
		}
		store := newMemoryStore()
		q := NewQueue(context.Background(), Settings{Store: store, Threads: 1})
		ids, err := q.Start(runner.Request{Specs: []spec.Spec{s}})
		q.Wait()
		said := ""
		if err != nil {
			said = err.Error()
		} else {
			said = warnings(store.runs[ids[0]])
		}
		if !strings.Contains(said, c.want) {
			t.Errorf("%+v: the run says %q", c, said)
		}
		if want := strings.Contains(c.want, below); (err != nil) != want {
			t.Errorf("%+v: Start() = %v, want an error: %v", c, err, want)
		}
	}
}
