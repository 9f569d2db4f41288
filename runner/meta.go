package runner

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"drolab/dro"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// Host is the program and the machine that a run is made with.
type Host struct {
	// Version is of drolab's code: the revision, or which program where the tree was
	// dirty.
	Version string `json:"version"`
	Go      string `json:"go"`
	System  string `json:"system"` // operating system and architecture
	CPU     string `json:"cpu"`
	// Kernel is that of training steps (see nn.Kernel): another one gives other last
	// bits, so a resume with another one leaves a warning.
	Kernel  string `json:"kernel"`
	Threads int    `json:"threads"` // of the run, where it started
}

// Meta is run.json: what made the run, and what a viewer needs to draw it.
type Meta struct {
	ID      string    `json:"id"`
	Preset  string    `json:"preset"`
	Parent  string    `json:"parent,omitempty"` // RUN@STEP that it was forked from
	Created time.Time `json:"created"`
	Spec    spec.Spec `json:"spec"`
	Host    Host      `json:"host"`

	Checksum string `json:"dataset_checksum"`
	// Encoder is what the network takes, so that a checkpoint is enough to use it;
	// nil in runs of programs before, and where it would be very long.
	Encoder *data.Encoder `json:"encoder,omitempty"`
	// FittedTo says which samples scales, means and categories are fitted to, where some
	// are held out: FittedToTrain; empty in runs of programs before, which took the
	// samples held out, too, and go on so.
	FittedTo string `json:"fitted_to,omitempty"`
	measure.Parts
	Parameters int `json:"parameters"`

	StepsPerEpoch int64 `json:"steps_per_epoch"`
	Steps         int64 `json:"steps"` // planned

	// Coordinates and Box are those of z, with every "auto" derived.
	Coordinates string  `json:"coordinates"`
	Box         dro.Box `json:"box"`
	// Program is the one that the run trains, nil of a network of drolab's own.
	Program *Program `json:"program,omitempty"`
	// User says which of the program's own values are the better ones.
	User measure.Sides `json:"user,omitzero"`
	// Optimum is what the setting optimum asks for.
	Optimum *measure.Optimum `json:"optimum,omitempty"`
	// Imported says where a run is from that was not trained here; nil of all others.
	Imported *Imported `json:"imported,omitempty"`
}

// Imported is what another program predicted. The method is the Spec's, by a name that
// is the user's own.
type Imported struct {
	File     string   `json:"file"`
	Checksum string   `json:"checksum"` // of the uncompressed file
	Columns  []string `json:"columns"`  // that were read
	// Absent says what is not known of it, for want of columns or rows.
	Absent []string `json:"absent,omitempty"`
}

// Trained is nil, or says why a run has no network to use or to go on with.
func (m *Meta) Trained() error {
	if m.Imported == nil {
		return nil
	}
	return fmt.Errorf("run %s has no network: it is what %q predicted, imported from %s", m.ID,
		m.Spec.Algorithm(), m.Imported.File)
}

// FittedToTrain is the training split alone.
const FittedToTrain = "train"

// DataOptions are those that the run's data are opened with, each time alike.
func (m *Meta) DataOptions(dir string) data.Options {
	o := m.Spec.DataOptions(dir)
	o.FitHeld = m.FittedTo == "" && o.ValFraction > 0
	return o
}

// Places names the values of a list measure of the run: classes, groups, radii,
// the lower edges of bins.
func (m *Meta) Places(a measure.Axis) []string {
	var values []float64
	var names []string
	digits := -1
	switch a {
	case measure.PerRadius:
		values = m.Spec.RiskRadii
	case measure.PerRatio:
		values, digits = measure.RatioEdges(), 3
	default:
		return m.Names(a)
	}
	for _, v := range values {
		names = append(names, strconv.FormatFloat(v, 'g', digits, 64))
	}
	return names
}

// Configuration is equal for runs that differ in the seed alone.
func (m *Meta) Configuration() string {
	spec := m.Spec
	spec.Seed = 0
	b, err := json.Marshal(&spec)
	if err != nil {
		return m.ID // nothing else is like it
	}
	return m.ConfigurationOf(string(b))
}

// ConfigurationOf is that of a run whose specification without its seed is this in JSON.
func (m *Meta) ConfigurationOf(spec string) string {
	return m.Preset + " " + m.Parent + " " + spec
}

// Measured implements Subject.
func (m *Meta) Measured() (s *spec.Spec, p *measure.Parts, optimum bool) {
	return &m.Spec, &m.Parts, m.Optimum != nil
}

// UnmarshalJSON reads run.json, and that of a program which had one kind of part
// only: there the log's figures per class are per group where groups were given,
// so these are the run's classes.
func (m *Meta) UnmarshalJSON(b []byte) error {
	type plain Meta
	old := struct {
		*plain
		TrainCounts []int `json:"train_counts"`
		TestCounts  []int `json:"test_counts"`
	}{plain: (*plain)(m)}
	*m = Meta{}
	if err := json.Unmarshal(b, &old); err != nil || !m.ClassCounts.IsZero() {
		return err
	}
	if len(m.Groups) > 0 {
		m.Classes, m.Groups = m.Groups, nil
	}
	m.Spec.MinGroup, m.Spec.RiskRadii = 0, nil // any part was called the worst, and there were none
	m.ClassCounts = measure.Counts{Train: old.TrainCounts, Test: old.TestCounts}
	return nil
}

// Usable says what keeps a run from going on, of a run.json that a person or a
// bad disk changed.
func (m *Meta) Usable() error {
	if m.StepsPerEpoch < 1 || m.Steps < 0 {
		return fmt.Errorf("%d steps of %d an epoch", m.Steps, m.StepsPerEpoch)
	}
	if wrong := m.Spec.WrongValues(); len(wrong) > 0 {
		return wrong[0]
	}
	return nil
}

// alone tells whether fewer than two classes or groups have the test samples to be called
// the worst.
func (m *Meta) alone() bool {
	counted, tests := 0, m.Counts(m.Main()).Test
	for _, n := range tests {
		if n >= max(m.Spec.MinGroup, 1) {
			counted++
		}
	}
	return len(tests) > 0 && counted < 2
}

// BeyondBox says that the best λ or η of the training losses is outside of the run's box,
// and what that costs at most; "" where it is inside.
func (m *Meta) BeyondBox(s *Summary) string {
	set, err := m.Spec.Set()
	gap, lambda, eta := s.Of("dual_gap"), s.Of("best_lambda"), s.Of("best_eta")
	if err != nil || !gap.Applies() || !eta.Applies() || s.Of("penalised_gap").Applies() {
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
