package runner

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"drolab/dro"
	"drolab/runner/data"
	"drolab/runner/lists"
	"drolab/runner/measure"
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
	// CheckpointParts is the number of equal parts of the run, after each of which it keeps a
	// checkpoint.
	CheckpointParts int `json:"checkpoint_parts,omitempty"`

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

// Imported is the file of another program's predictions, or another program's log. The method is
// in the Spec, under a name that is not one of drolab's own.
type Imported struct {
	File     string   `json:"file"`
	Checksum string   `json:"checksum"` // of the uncompressed file
	Columns  []string `json:"columns"`  // that were read
	// Absent lists what is not known of the predictions, for lack of columns or rows, and what is
	// to be known of a log.
	Absent []string `json:"absent,omitempty"`

	// Kind is the kind of the log, as runner/foreign names it; empty: it was predictions. The
	// fields below are of logs alone.
	Kind    string         `json:"log,omitempty"`
	Program string         `json:"program,omitempty"` // that wrote the log
	Name    string         `json:"name,omitempty"`    // of the run there
	Path    string         `json:"path,omitempty"`    // of the file or the folder
	Files   []OriginalFile `json:"files,omitempty"`
	// Settings are those of the log that are none of drolab's.
	Settings []string `json:"settings,omitempty"`
	// Options identifies the options of the import, and First is the first number of the log: by
	// these a log that has grown is known again.
	Options string `json:"options,omitempty"`
	First   string `json:"first,omitempty"`
}

// OriginalFile is a file from which a run was imported.
type OriginalFile struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Predicted reports whether the run is predictions of another program, which have no steps.
func (m *Meta) Predicted() bool { return m.Imported != nil && m.Imported.Kind == "" }

// Origin says in words what was imported; empty for a run that was trained here.
func (m *Meta) Origin() string {
	switch i := m.Imported; {
	case i == nil:
		return ""
	case i.Kind == "":
		return fmt.Sprintf("what %q predicted, imported from %s", m.Spec.Algorithm(), i.File)
	default:
		return fmt.Sprintf("a log of %s, imported from %s", i.Program, i.File)
	}
}

// Trained returns nil, or the reason why a run has no network to use or to continue with.
func (m *Meta) Trained() error {
	if m.Imported == nil {
		return nil
	}
	return fmt.Errorf("run %s has no network: it is %s", m.ID, m.Origin())
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
	return lists.Map(values, func(v float64) string {
		return strconv.FormatFloat(v, 'g', digits, 64)
	})
}

// SavesAt reports whether the run saves a checkpoint after the step, whatever the time.
func (m *Meta) SavesAt(step int64) bool {
	every := int64(m.Spec.CheckpointEvery)
	return every > 0 && step%every == 0 || m.EndsPart(step)
}

// EndsPart reports whether the step is the last one of a part of the run, so that its checkpoint is
// kept.
func (m *Meta) EndsPart(step int64) bool {
	n := int64(m.CheckpointParts)
	if n <= 0 || step <= 0 || m.Steps <= 0 {
		return false
	}
	part := (step*n + m.Steps - 1) / m.Steps
	return part*m.Steps/n == step
}

// Configuration returns a key that is equal for runs that differ only in the seed, and in how often
// they are looked at or saved.
func (m *Meta) Configuration() string {
	spec := m.Spec.Computed()
	b, err := json.Marshal(&spec)
	if err != nil {
		return m.ID // it equals no other run's
	}
	return m.Preset + " " + m.Parent + " " + string(b)
}

// Measured implements measure.Subject.
func (m *Meta) Measured() (s measure.Settings, p *measure.Parts, optimum bool) {
	return m.Spec.MeasureSettings(), &m.Parts, m.Optimum != nil
}

// mostParts bounds the parts of a run after which a checkpoint is kept. Presets ask for four.
const mostParts = 100

// Usable returns an error if a run cannot continue because a person or a bad disk has changed its
// run.json.
func (m *Meta) Usable() error {
	if m.StepsPerEpoch < 1 || m.Steps < 0 {
		return fmt.Errorf("%d steps of %d an epoch", m.Steps, m.StepsPerEpoch)
	}
	if n := m.CheckpointParts; n < 0 || n > mostParts {
		return fmt.Errorf("checkpoint_parts: %d: expected 0 to %d", n, mostParts)
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
	if !(set.HasRadius() && outside(lambda, m.Box.Lambda)) &&
		!(m.Spec.BoundsEta() && outside(eta, m.Box.Eta)) {
		return ""
	}
	return fmt.Sprintf("it excludes the best λ = %.4g and η = %.4g of the training losses, so "+
		"that F is %.3g above R_ρ", lambda.Float(), eta.Float(), gap.Float())
}
