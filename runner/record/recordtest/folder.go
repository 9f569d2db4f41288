package recordtest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/record/recordtest/eventtest"
	"drolab/runner/spec"
)

// Folder is a folder of recorded runs with results that a test chooses.
type Folder struct {
	testing.TB
	Store  *record.Store
	Runs   []*record.Run         // in the order in which they were added
	Claims []runner.SealedClaims // of the runs that Add makes
}

// NewFolder returns an empty folder, which is deleted with the test.
func NewFolder(t testing.TB) *Folder {
	t.Helper()
	store, err := record.Open(t.TempDir())
	eventtest.Must(t, err)
	return &Folder{TB: t, Store: store}
}

// First returns the folder with the first n runs alone, for a part of the test. Runs that are added
// to it stand in the same directory.
func (f *Folder) First(t testing.TB, n int) *Folder {
	return &Folder{TB: t, Store: f.Store, Runs: slices.Clone(f.Runs[:n]), Claims: f.Claims}
}

// Must ends the test if err is not nil.
func (f *Folder) Must(err error) {
	f.Helper()
	eventtest.Must(f.TB, err)
}

// Result describes a run of three epochs and its results. It is of shapes with the default
// settings, where nothing else is said.
type Result struct {
	Method   dro.Algorithm
	Seed     uint64
	Rho      float64
	Change   func(*spec.Spec) // of the settings
	Preset   string           // empty: a preset that does not come with the program
	Checksum string           // of the data; empty is sha256:0
	Classes  []string
	Groups   []string           // of the data
	Age      int                // in days
	Meta     func(*runner.Meta) // changes what is not said here
	Status   runner.Status      // empty: done, or failed if there is a cause
	Cause    string             // why the run failed

	// The results at every evaluation. Accuracies are from 0 to 1; the mean is .1 above the worst.
	TrainLoss, TestLoss, Worst, Risk float64
	Objective                        []float64 // for each evaluation
	RiskAt                           []float64 // for each radius
	// Accuracy has the accuracies by class, NaN for none, at the first evaluation; they rise by .01
	// at each further one. nil: two classes, from Worst.
	Accuracy []float64
	Also     func(i int, e *runner.EvalEvent) // changes evaluation i

	Speed float64 // images a second; 0 is 100
	Timed int     // steps whose pace is logged
}

// evaluations is the number of evaluations of a run.
const evaluations = 3

// Add records a run.
func (f *Folder) Add(r Result) {
	f.Helper()
	m := r.meta()
	m.Claims = f.Claims
	w, err := f.Store.Create(m, nil)
	f.Must(err)
	f.Must(w.Append(&runner.StatusEvent{Status: runner.Running}))
	speed := measure.Num(cmp.Or(r.Speed, 100))
	for i := range r.Timed {
		at := m.Created.Add(time.Duration(i) * time.Second)
		f.Must(w.Append(&runner.StepEvent{Head: runner.Head{Step: int64(i + 1), Time: at},
			ImagesPerSecond: speed}))
	}
	var last *runner.EvalEvent
	for i := range evaluations {
		last = r.eval(i)
		f.Must(w.Append(last))
	}
	status := r.status()
	f.Must(w.Append(&runner.StatusEvent{Head: runner.Head{Step: m.Steps}, Status: status,
		Cause: r.Cause}))
	s := runner.Summarize(m, status, m.Steps, last, &runner.StepEvent{ImagesPerSecond: speed})
	s.Cause = r.Cause
	f.Must(w.Finish(s))
	f.Must(w.Close())
	run, err := record.Find(f.Store.Dir(), m.ID)
	f.Must(err)
	f.Runs = append(f.Runs, run)
}

// status returns the status with which the run ends.
func (r *Result) status() runner.Status {
	switch {
	case r.Status != "":
		return r.Status
	case r.Cause != "":
		return runner.Failed
	}
	return runner.Done
}

// meta returns the Meta of the run.
func (r *Result) meta() *runner.Meta {
	of := spec.Defaults()
	of.Algorithms = []dro.Algorithm{r.Method}
	of.Seed, of.Rho, of.Epochs = r.Seed, r.Rho, evaluations
	if r.Change != nil {
		r.Change(&of)
	}
	classes := r.Classes
	if classes == nil {
		classes = []string{"circle", "star"}
	}
	m := &runner.Meta{
		Preset:        cmp.Or(r.Preset, "mine"),
		Spec:          of,
		Checksum:      cmp.Or(r.Checksum, "sha256:0"),
		StepsPerEpoch: 10,
		Steps:         10 * evaluations,
		Created:       time.Date(2026, 11, 22-r.Age, 4, 0, 0, 0, time.UTC),
		Parts: measure.Parts{
			Classes:     classes,
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
	if r.Groups != nil {
		m.Groups = r.Groups
		m.GroupCounts = measure.Counts{Train: make([]int, len(r.Groups)),
			Test: make([]int, len(r.Groups))}
	}
	if r.Meta != nil {
		r.Meta(m)
	}
	return m
}

// eval returns evaluation i.
func (r *Result) eval(i int) *runner.EvalEvent {
	e := &runner.EvalEvent{Head: runner.Head{Step: int64(10 * (i + 1))}, Epoch: float64(i + 1)}
	e.Set("train_loss", measure.Num(r.TrainLoss))
	e.Set("test_loss", measure.Num(r.TestLoss))
	e.Set("worst_class_accuracy", measure.Num(r.Worst))
	e.Set("test_accuracy", measure.Num(r.Worst+.1))
	e.Set("robust_risk", measure.Num(r.Risk))
	e.ByGroup.Set("class_accuracy", []measure.Number{measure.Num(r.Worst + .2),
		measure.Num(r.Worst)})
	if r.Accuracy != nil {
		var list []measure.Number
		for _, x := range r.Accuracy {
			list = append(list, measure.NumIf(x == x, x+float64(i)/100))
		}
		e.ByGroup.Set("class_accuracy", list)
	}
	if r.RiskAt != nil {
		var list []measure.Number
		for _, x := range r.RiskAt {
			list = append(list, measure.Num(x))
		}
		e.ByGroup.Set("robust_risk_at", list)
	}
	if r.Objective != nil {
		e.Set("train_objective", measure.Num(r.Objective[i]))
		e.Set("train_robust_risk", measure.Num(r.Objective[i]-.01))
		e.Set("dual_gap", measure.Num(.01))
	}
	if r.Also != nil {
		r.Also(i, e)
	}
	return e
}

// Deviation returns the deviation of a value that belongs to a seed.
func Deviation(seed uint64) float64 { return []float64{0, .013, -.007, .004, -.011}[seed%5] }

// AddFour records the run with the seeds 1 to 4, whose results deviate.
func (f *Folder) AddFour(r Result) {
	f.Helper()
	for seed := uint64(1); seed <= 4; seed++ {
		one := r
		one.Seed = seed
		one.TrainLoss += Deviation(seed)
		one.TestLoss += Deviation(seed + 1)
		one.Worst += Deviation(seed + 2)
		one.Risk += Deviation(seed + 3)
		f.Add(one)
	}
}
