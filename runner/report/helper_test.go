package report

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// folder is a folder of recorded runs with results that a test chooses.
type folder struct {
	testing.TB
	store  *record.Store
	runs   []*record.Run
	claims []runner.SealedClaims // of the runs that add makes
}

func newFolder(t testing.TB) *folder {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &folder{TB: t, store: store}
}

// told describes a run and its results.
type told struct {
	algorithm dro.Algorithm
	seed      uint64
	rho       float64
	change    func(*spec.Spec)
	classes   []string
	speed     float64   // images a second; 0 is 100
	preset    string    // empty: a preset that does not come with the program
	checksum  string    // of the data; empty is sha256:0
	age       int       // in days
	accuracy  []float64 // by class, NaN for none; nil: of two classes, from worst

	trainLoss, testLoss, worst, risk float64
	objective                        []float64 // for each evaluation
	riskAt                           []float64 // for each radius

	groups []string                         // of the data
	cause  string                           // why the run failed; empty: it is done
	also   func(i int, e *runner.EvalEvent) // changes the evaluation i
	timed  int                              // steps whose pace is logged
}

func (f *folder) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *folder) add(w told) {
	f.Helper()
	spec := spec.Defaults()
	spec.Algorithms = []dro.Algorithm{w.algorithm}
	spec.Seed, spec.Rho, spec.Epochs = w.seed, w.rho, 3
	if w.change != nil {
		w.change(&spec)
	}
	if w.classes == nil {
		w.classes = []string{"circle", "star"}
	}
	if w.speed == 0 {
		w.speed = 100
	}
	m := &runner.Meta{
		Preset:        cmp.Or(w.preset, "mine"),
		Spec:          spec,
		Checksum:      cmp.Or(w.checksum, "sha256:0"),
		StepsPerEpoch: 10,
		Steps:         30,
		Claims:        f.claims,
		Created:       time.Date(2026, 11, 22-w.age, 4, 0, 0, 0, time.UTC),
		Parts: measure.Parts{
			Classes:     w.classes,
			ClassCounts: measure.Counts{Train: []int{30, 10}, Test: []int{100, 100}},
		},
		Host: runner.Host{
			Version: "v1",
			Go:      "go1.26",
			System:  "linux/amd64",
			CPU:     "a processor",
			Kernel:  "avx512",
			Threads: 2,
		},
	}
	if w.groups != nil {
		m.Groups = w.groups
		m.GroupCounts = measure.Counts{Train: make([]int, len(w.groups)),
			Test: make([]int, len(w.groups))}
	}
	r, err := f.store.Create(m, nil)
	f.must(err)
	f.must(r.Append(&runner.StatusEvent{Status: runner.Running}))
	for i := range w.timed {
		at := m.Created.Add(time.Duration(i) * time.Second)
		f.must(r.Append(&runner.StepEvent{Head: runner.Head{Step: int64(i + 1), Time: at},
			ImagesPerSecond: measure.Num(w.speed)}))
	}
	var last *runner.EvalEvent
	for i := range 3 {
		last = w.eval(i)
		f.must(r.Append(last))
	}
	status := runner.Done
	if w.cause != "" {
		status = runner.Failed
	}
	f.must(r.Append(&runner.StatusEvent{Head: runner.Head{Step: 30}, Status: status,
		Cause: w.cause}))
	s := runner.Summarize(m, status, 30, last,
		&runner.StepEvent{ImagesPerSecond: measure.Num(w.speed)})
	s.Cause = w.cause
	f.must(r.Finish(s))
	f.must(r.Close())
	run, err := record.Find(f.store.Dir(), m.ID)
	f.must(err)
	f.runs = append(f.runs, run)
}

func (w *told) eval(i int) *runner.EvalEvent {
	e := &runner.EvalEvent{Head: runner.Head{Step: int64(10 * (i + 1))}, Epoch: float64(i + 1)}
	e.Set("train_loss", measure.Num(w.trainLoss))
	e.Set("test_loss", measure.Num(w.testLoss))
	e.Set("worst_class_accuracy", measure.Num(w.worst))
	e.Set("test_accuracy", measure.Num(w.worst+.1))
	e.Set("robust_risk", measure.Num(w.risk))
	e.ByGroup.Set("class_accuracy", []measure.Number{measure.Num(w.worst + .2),
		measure.Num(w.worst)})
	if w.accuracy != nil {
		var list []measure.Number
		for _, x := range w.accuracy {
			list = append(list, measure.NumIf(x == x, x+float64(i)/100))
		}
		e.ByGroup.Set("class_accuracy", list)
	}
	if w.riskAt != nil {
		var list []measure.Number
		for _, x := range w.riskAt {
			list = append(list, measure.Num(x))
		}
		e.ByGroup.Set("robust_risk_at", list)
	}
	if w.objective != nil {
		e.Set("train_objective", measure.Num(w.objective[i]))
		e.Set("train_robust_risk", measure.Num(w.objective[i]-.01))
		e.Set("dual_gap", measure.Num(.01))
	}
	if w.also != nil {
		w.also(i, e)
	}
	return e
}

// wobble returns the deviation of a value that belongs to a seed.
func wobble(seed uint64) float64 { return []float64{0, .013, -.007, .004, -.011}[seed%5] }

// four adds runs of a method with the seeds 1 to 4.
func (f *folder) four(w told) {
	for seed := uint64(1); seed <= 4; seed++ {
		o := w
		o.seed = seed
		o.trainLoss += wobble(seed)
		o.testLoss += wobble(seed + 1)
		o.worst += wobble(seed + 2)
		o.risk += wobble(seed + 3)
		f.add(o)
	}
}

// paperLike adds four seeds of each method that the paper compares, at a radius.
func (f *folder) paperLike(rho float64) {
	f.four(told{algorithm: dro.SFK, rho: rho, trainLoss: .5, testLoss: .9, worst: .40, risk: 2,
		objective: []float64{3, 2, 1.4}, speed: 75})
	f.four(told{algorithm: dro.PGD, rho: rho, trainLoss: .4, testLoss: 1.2, worst: .40, risk: 2,
		objective: []float64{3.2, 2.2, 1.2}})
	f.four(told{algorithm: dro.ERM, rho: rho, trainLoss: .1, testLoss: 1, worst: .60, risk: 3})
}

// recorded returns a study that comes with the program, with changes of its text.
func recorded(t testing.TB, name string, changes ...string) *Study {
	t.Helper()
	text, err := os.ReadFile("../../presets/recorded/" + name + "/study.yaml")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.NewReplacer(changes...).Replace(string(text))
	s, errs := ParseStudy(filepath.Join("testdata", name+".yaml"), []byte(changed))
	if len(errs) > 0 {
		t.Fatal(errors.Join(errs...))
	}
	return s
}

// onShapes returns the paper's study of runs that told describes.
func onShapes(t testing.TB) *Study {
	s := recorded(t, "paper", "{preset: paper-gentle}", "{preset: shapes.yaml, rho: 0.5}",
		"{preset: paper}", "{preset: shapes.yaml, rho: 1.5}", "seeds: 1-4", "seeds: 1-10",
		"  preset: paper\n", "")
	s.Published, s.Reproduction, s.Sensitivity = nil, nil, nil
	return s
}

// report judges the runs by the paper's study on shapes or, if any run has a preset of the paper,
// by the paper's study.
func (f *folder) report() *Report {
	f.Helper()
	s := onShapes(f)
	if slices.ContainsFunc(f.runs, func(r *record.Run) bool {
		return strings.HasPrefix(r.Meta.Preset, "paper")
	}) {
		s = recorded(f, "paper")
	}
	r, err := New(s, f.runs, Options{Interim: true})
	f.must(err)
	return r
}

func (f *folder) claim(r *Report, key, problem, a, b string) *Finding {
	f.Helper()
	for _, c := range r.claims() {
		if c.Key == key && c.Problem == problem && c.A == a && c.B == b {
			return c
		}
	}
	f.Fatalf("no claim %s of %s and %s on %s", key, a, b, problem)
	return nil
}
