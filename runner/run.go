package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/measure"
	"drolab/runner/numeral"
	"drolab/runner/spec"
)

// Host describes the program and the machine that made a run.
type Host struct {
	// Version identifies drolab's code: the revision, and a checksum of the program if the tree was
	// dirty.
	Version string `json:"version"`
	Go      string `json:"go"`
	System  string `json:"system"` // operating system and architecture
	CPU     string `json:"cpu"`
	// Kernel is the kernel of training steps (see nn.Kernel). Another kernel changes the last bits,
	// so a resume with another one leaves a warning.
	Kernel  string `json:"kernel"`
	Threads int    `json:"threads"` // at the start of the run
}

// Format is the format of the files of runs and sweeps. Later programs read it, too.
const Format = 1

// Meta is run.json: everything that made the run, and what a viewer needs to draw it.
type Meta struct {
	Format  int       `json:"format"` // set by the store
	ID      string    `json:"id"`
	Preset  string    `json:"preset"`
	Parent  string    `json:"parent,omitempty"` // RUN@STEP that the run was forked from
	Created time.Time `json:"created"`
	Spec    spec.Spec `json:"spec"`
	Host    Host      `json:"host"`

	Checksum string `json:"dataset_checksum"`
	// Encoder turns data into the network's input, so that a checkpoint is enough to use the
	// network; nil where it would be very long.
	Encoder *data.Encoder `json:"encoder,omitempty"`
	measure.Parts
	Parameters int `json:"parameters"`

	StepsPerEpoch int64 `json:"steps_per_epoch"`
	Steps         int64 `json:"steps"` // planned

	// Coordinates and Box are the coordinates and the box of z, with every "auto" derived.
	Coordinates string  `json:"coordinates"`
	Box         dro.Box `json:"box"`
	// Program is the program that the run trains; nil for a network of drolab's own.
	Program *Program `json:"program,omitempty"`
	// User says which values of the program's own are better.
	User measure.Sides `json:"user,omitzero"`
	// Ties is the rule for equal evaluations, of a run that selects a step.
	Ties TieRule `json:"select_ties,omitempty"`
	// Optimum is the optimum for the setting optimum.
	Optimum *measure.Optimum `json:"optimum,omitempty"`
	// Imported describes the source of a run that was not trained here; nil for all others.
	Imported *Imported `json:"imported,omitempty"`
	// Claims has the claims of the study that started the run. The claims of a study that took the
	// run over are here only in a packed run: see record.Run.Claims.
	Claims []SealedClaims `json:"claims,omitempty"`
}

// SealedClaims says that a study had claims with this hash when it started a run or took it over.
type SealedClaims struct {
	Study  string    `json:"study"`  // its title
	File   string    `json:"file"`   // its path, or recorded:NAME
	SHA256 string    `json:"sha256"` // of its claims: see report.Study.Seal
	Date   time.Time `json:"date"`
	// TakenOver says that the run existed before the study counted it.
	TakenOver bool `json:"taken_over,omitempty"`
}

// SameStudy reports whether two entries are of one study: one title, or one file.
func (c *SealedClaims) SameStudy(o *SealedClaims) bool {
	return c.Study == o.Study || c.File == o.File
}

// Imported is the file of another program's predictions. The method is in the Spec, under a name
// that the user chose.
type Imported struct {
	File     string   `json:"file"`
	Checksum string   `json:"checksum"` // of the uncompressed file
	Columns  []string `json:"columns"`  // that were read
	// Absent lists what is not known of the predictions, for lack of columns or rows.
	Absent []string `json:"absent,omitempty"`
}

// Trained returns nil, or the reason why a run has no network to use or to continue with.
func (m *Meta) Trained() error {
	if m.Imported == nil {
		return nil
	}
	return fmt.Errorf("run %s has no network: it is what %q predicted, imported from %s", m.ID,
		m.Spec.Algorithm(), m.Imported.File)
}

// Places names the values of a list measure of the run: classes, groups, radii, or the lower edges
// of bins.
func (m *Meta) Places(a measure.Axis) []string {
	var values []float64
	digits := -1
	switch a {
	case measure.PerRadius:
		values = m.Spec.RiskRadii
	case measure.PerRatio:
		values, digits = measure.RatioEdges(), 3
	default:
		return m.Names(a)
	}
	return data.Map(values, func(v float64) string {
		return strconv.FormatFloat(v, 'g', digits, 64)
	})
}

// Configuration returns a key that is equal for runs that differ in the seed alone.
func (m *Meta) Configuration() string {
	spec := m.Spec
	spec.Seed = 0
	b, err := json.Marshal(&spec)
	if err != nil {
		return m.ID // it equals no other run's
	}
	return m.ConfigurationOf(string(b))
}

// ConfigurationOf is Configuration, given the run's specification without its seed, as JSON.
func (m *Meta) ConfigurationOf(spec string) string {
	return m.Preset + " " + m.Parent + " " + spec
}

// Measured implements measure.Subject.
func (m *Meta) Measured() (s *spec.Spec, p *measure.Parts, optimum bool) {
	return &m.Spec, &m.Parts, m.Optimum != nil
}

// Usable returns an error if a run cannot continue because a person or a bad disk has changed its
// run.json.
func (m *Meta) Usable() error {
	if m.StepsPerEpoch < 1 || m.Steps < 0 {
		return fmt.Errorf("%d steps of %d an epoch", m.Steps, m.StepsPerEpoch)
	}
	if wrong := m.Spec.WrongValues(); len(wrong) > 0 {
		return wrong[0]
	}
	return m.Ties.Check()
}

// BeyondBox says that the best λ or η of the training losses is outside the run's box, and what
// that costs at most; it returns "" if they are inside.
func (m *Meta) BeyondBox(s *Summary) string {
	set, err := m.Spec.Set()
	gap, lambda, eta := s.Named("dual_gap"), s.Named("best_lambda"), s.Named("best_eta")
	if err != nil || !gap.Applies() || !eta.Applies() || s.Named("penalised_gap").Applies() {
		return ""
	}
	outside := func(n measure.Number, side [2]float64) bool {
		return !(n.Float() >= side[0] && n.Float() <= side[1])
	}
	if !(set.HasRadius() && outside(lambda, m.Box.Lambda)) && !outside(eta, m.Box.Eta) {
		return ""
	}
	return fmt.Sprintf("it excludes the best λ = %.4g, η = %.4g of the training losses: "+
		"F is %.3g above R_ρ", lambda.Float(), eta.Float(), gap.Float())
}

// Preset is one experiment as a file states it. Package presets has the files; code that reads runs
// by presets is given them.
type Preset struct {
	Name string `json:"name"` // without folder and extension
	Doc  string `json:"doc"`  // what it is for, one line
	// Spec has every setting; the file overrides the defaults.
	Spec spec.Spec `json:"spec"`
	// Overrides are the keys that the file sets, in its order, and Reasons the reasons, by key.
	Overrides []string          `json:"overrides"`
	Reasons   map[string]string `json:"reasons"`
}

// A fork is a new run that continues from a checkpoint of another run. It may have settings of its
// own as long as they fit the checkpoint's tensors and position in the data.

// ParseParent splits RUN@STEP into the run and the step.
func ParseParent(s string) (id string, step int64, err error) {
	at := strings.LastIndexByte(s, '@')
	step, ok := numeral.Int64(s[at+1:])
	if at <= 0 || !ok || step < 0 {
		return "", 0, fmt.Errorf("%q: want RUN@STEP, with the step of a checkpoint", s)
	}
	return s[:at], step, nil
}

// Fork returns the settings of a run that continues from p: the parent's settings, with its knobs
// as they stood, and with z at the checkpoint as the start.
func (p *Past) Fork() (spec.Spec, error) {
	s, err := p.Turned()
	if err == nil && p.From != nil && p.From.Method != nil {
		err = startFrom(&s, p)
	}
	return s, err
}

// Turned returns the parent's settings with the knobs as they stood at the checkpoint.
func (p *Past) Turned() (spec.Spec, error) {
	s := p.Meta.Spec
	if err := p.Meta.Trained(); err != nil {
		return s, err
	}
	for _, k := range Turned(p.Log) {
		if p.From != nil && k.Step <= p.From.Step {
			if err := k.Apply(&s); err != nil {
				return s, fmt.Errorf("step %d: repeating a change of a setting: %w", k.Step, err)
			}
		}
	}
	return s, nil
}

// startFrom sets the settings for the start of the method's state to the state at the checkpoint:
// z, for methods that have one.
func startFrom(s *spec.Spec, p *Past) error {
	trainer, problem, err := NewTrainer(s, &p.Meta.Parts, nil)
	if err != nil {
		return err
	}
	d, ok := trainer.(dro.Dual)
	if !ok {
		return nil
	}
	if err := trainer.Restore(*p.From.Method); err != nil {
		return err
	}
	if !problem.Box.Contains(d.Z()) { // a knob was turned right after the checkpoint
		d.Confine()
	}
	s.Lambda, s.Eta = d.Z().Lambda, d.Z().Eta
	return nil
}

// Program is the record of the program that a run trains. The record alone never starts a program:
// a run may come from anybody.
type Program struct {
	Path        string   `json:"path"`
	SHA256      string   `json:"sha256"` // of that file, in hexadecimal
	Arguments   []string `json:"arguments,omitempty"`
	Interpreter string   `json:"interpreter,omitempty"`
	Device      string   `json:"device,omitempty"`
	// Packages are the versions of the packages that the program named.
	Packages map[string]string `json:"packages,omitempty"`
	// Processes is the number of processes that shared each batch; 0 or 1: one had it alone.
	Processes int `json:"processes,omitempty"`
}

// ByScript says that a script drives a run's loop, and how to continue the run; id is empty for a
// run that does not exist yet.
func ByScript(id string) string {
	if id == "" {
		return "the loop of this run is a script's: the script starts it with " +
			"drolab.start(...), or forks one with drolab.start(from_=\"RUN@STEP\")"
	}
	return fmt.Sprintf("only its script can continue run %s: drolab.start(resume=%q)", id, id)
}

// HowToContinue returns the command or, for the run of a script, the call that continues the run
// after its end.
func (m *Meta) HowToContinue() string {
	if m.Spec.IsScript() {
		return fmt.Sprintf("drolab.start(resume=%q) in its script", m.ID)
	}
	return "drolab resume " + m.ID
}

// HasOwnNetwork returns an error if the run was imported, or trains a program or a script, which
// keeps its weights and data to itself. Callers need the weights, or data other than the run's.
func (m *Meta) HasOwnNetwork() error {
	if !m.Spec.IsProgram() {
		return m.Trained()
	}
	return fmt.Errorf("run %s trains a program, which keeps its weights and data to itself: "+
		"this needs a model of drolab's own", m.ID)
}

// ProgramMeans are the means with which a program is started where a user asks for it. They are
// never taken from a record.
type ProgramMeans struct {
	Python string   `json:"python,omitempty"` // the interpreter of Python files
	Env    []string `json:"env,omitempty"`
}

// CheckData returns an error unless data with this checksum are the run's.
func (m *Meta) CheckData(checksum string) error {
	if checksum == m.Checksum {
		return nil
	}
	return fmt.Errorf("run %s was made with dataset %s, and %s is another one: "+
		"give the folder that has it with --data", m.ID, m.Checksum, checksum)
}

// OpenFor opens a dataset on which to use the network of a run; an empty name stands for the run's
// own dataset, with its own splits.
func (m *Meta) OpenFor(dataset, dataDir string) (*data.Dataset, error) {
	if dataset == "" {
		return m.openOwn(dataDir, false)
	}
	e, err := m.EncoderFrom(dataDir)
	if err != nil {
		return nil, err
	}
	o := data.Options{Dir: dataDir, Difficulty: m.Spec.Difficulty, Encoder: e, Rows: true}
	return OpenData(context.Background(), dataset, o)
}

// EncoderFrom returns the run's encoder: the stored one or, where that would be very long, the
// encoder fitted to the training data.
func (m *Meta) EncoderFrom(dataDir string) (*data.Encoder, error) {
	if err := m.HasOwnNetwork(); err != nil || m.Encoder != nil {
		return m.Encoder, err
	}
	d, err := m.openOwn(dataDir, false)
	if err != nil {
		return nil, fmt.Errorf(
			"the run has kept no encoder, so its training data are needed: %w", err)
	}
	return &d.Encoder, d.Close()
}

// Glance opens a run's own dataset for a caller that reads a few samples. It does not check whether
// large files are the ones that the run had, since that would read all of them: compare a sample's
// label.
func (m *Meta) Glance(dataDir string) (*data.Dataset, error) { return m.openOwn(dataDir, true) }

// openOwn opens a run's own dataset, as the run did.
func (m *Meta) openOwn(dataDir string, glance bool) (*data.Dataset, error) {
	if err := m.HasOwnNetwork(); err != nil {
		return nil, err
	}
	o := m.Spec.DataOptions(dataDir)
	o.Rows, o.Glance = true, glance
	d, err := OpenData(context.Background(), m.Spec.Dataset, o)
	if err != nil {
		return nil, err
	}
	if glance && d.Checksum == "" {
		return d, nil
	}
	if err := m.CheckData(d.Checksum); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// OpenData is source.OpenContext, but turns a fault in a mapped file into an error.
func OpenData(ctx context.Context, name string, o data.Options) (d *data.Dataset, err error) {
	err = Unfaulted(func() (err error) {
		d, err = source.OpenContext(ctx, name, o)
		return err
	})
	return d, err
}

// Unfaulted calls do, which reads samples, and turns a fault in one of their files into an error.
func Unfaulted(do func() error) error { return source.Unfaulted(errCut, do) }

// NewTrainer starts the method of s on data with the counts p, and returns it with the problem that
// it solves. keys are those of dro.Task.
func NewTrainer(
	s *spec.Spec, p *measure.Parts, keys []uint32,
) (dro.Trainer, *dro.Problem, error) {
	m, err := dro.Find(s.Algorithm())
	if err != nil {
		return nil, nil, err
	}
	classes := p.ClassCounts.Train
	task, err := s.Task(m, data.Sum(classes), classes, p.Training().Train)
	if err != nil {
		return nil, nil, err
	}
	task.Keys = keys
	if task.Val = p.Refitted; task.Val == nil {
		task.Val = p.Training().Val
	}
	task.Ungrouped = p.Ungrouped
	if task.ByGroup && p.Ungrouped {
		return nil, nil, &spec.KeyError{Key: "sampler", Value: s.Sampler,
			Want: "samples: no training sample has a known group"}
	}
	if err := m.CheckGroups(&task); err != nil {
		return nil, nil, fmt.Errorf("algorithm %s: %w", m.Name, err)
	}
	t, err := m.New(task)
	if err != nil {
		return nil, nil, fmt.Errorf("algorithm %s: %w", m.Name, err)
	}
	return t, task.Problem, nil
}

// RefitsOnVal reports whether a method fits the last layer to the validation split.
func RefitsOnVal(t dro.Trainer) bool {
	r, ok := t.(dro.Refitter)
	return ok && r.RefitsOn().Split == SplitVal
}

// CheckRefit returns an error if a last layer would be fitted to fewer than min_group samples of a
// group that training has, or of a class where the method does not use groups. Draws or weights
// that balance the groups then make a few samples count for all.
func CheckRefit(s *spec.Spec, t dro.Trainer, p *measure.Parts) error {
	r, ok := t.(dro.Refitter)
	if !ok {
		return nil
	}
	axis, part, on := p.Main(), p.Part(), r.RefitsOn()
	if m, err := dro.Find(s.Algorithm()); err == nil && m.GroupsOf == nil {
		axis, part = measure.PerClass, "class"
	}
	remedy := "merge it or lower min_group"
	if on.Split == SplitVal && (axis == measure.PerClass || !p.Ungrouped) {
		remedy = fmt.Sprintf("set %s_split=train, %s", s.Algorithm(), remedy)
	}
	if on.Split == SplitVal {
		remedy = "take more for validation, " + remedy
	}
	counts := p.Counts(axis)
	for i, of := range *counts.Of(on.Split) {
		if n := int(on.Share * float64(of)); n < s.MinGroup && p.Learns(axis, counts.Train[i]) {
			return fmt.Errorf("algorithm %s: %d samples of %s %s in the split %s, for the last "+
				"layer, are below min_group=%d: %s", s.Algorithm(), n, part, p.Names(axis)[i],
				on.Split, s.MinGroup, remedy)
		}
	}
	return nil
}
