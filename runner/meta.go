package runner

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"drolab/dro"
	"drolab/runner/data"
)

// Host is the program and the machine that a run is made with.
type Host struct {
	Version string `json:"version"` // of drolab's code: revision, or which program where the tree was dirty
	Go      string `json:"go"`
	System  string `json:"system"` // operating system and architecture
	CPU     string `json:"cpu"`
	Kernel  string `json:"kernel"` // of training steps (see nn.Kernel): another one gives other last bits
	Threads int    `json:"threads"`
}

// Meta is run.json: what made the run, and what a viewer needs to draw it.
type Meta struct {
	ID      string    `json:"id"`
	Preset  string    `json:"preset"`
	Parent  string    `json:"parent,omitempty"` // RUN@STEP that it was forked from
	Created time.Time `json:"created"`
	Spec    Spec      `json:"spec"`
	Host    Host      `json:"host"`

	Checksum string `json:"dataset_checksum"`
	// Encoder is what the network takes, so that a checkpoint is enough to use it;
	// nil in runs of programs before, and where it would be very long.
	Encoder *data.Encoder `json:"encoder,omitempty"`
	// FittedTo says which samples scales, means and categories are fitted to, where some
	// are held out: FittedToTrain; empty in runs of programs before, which took the
	// samples held out, too, and go on so.
	FittedTo string `json:"fitted_to,omitempty"`
	Parts
	Parameters int `json:"parameters"`

	StepsPerEpoch int64 `json:"steps_per_epoch"`
	Steps         int64 `json:"steps"` // planned

	// Coordinates and Box are those of z, with every "auto" derived.
	Coordinates string  `json:"coordinates"`
	Box         dro.Box `json:"box"`
	// Optimum is what the setting optimum asks for.
	Optimum *Optimum `json:"optimum,omitempty"`
}

// FittedToTrain is the training split alone.
const FittedToTrain = "train"

// dataOptions are those that the run's data are opened with, each time alike.
func (m *Meta) dataOptions(dir string) data.Options {
	o := m.Spec.DataOptions(dir)
	o.FitHeld = m.FittedTo == "" && o.ValFraction > 0
	return o
}

// Parts are what a run's data consist of. Groups are those that were given:
// none where the classes are all that is known.
type Parts struct {
	Classes     []string `json:"classes,omitempty"`
	ClassCounts Counts   `json:"class_counts,omitzero"`
	Groups      []string `json:"groups,omitempty"`
	GroupCounts Counts   `json:"group_counts,omitzero"`
}

// Counts are numbers of samples, one a class or a group. Train is what imbalance
// and hold-out leave; Val is nil without a hold-out.
type Counts struct {
	Train []int `json:"train"`
	Val   []int `json:"val,omitempty"`
	Test  []int `json:"test"`
}

// IsZero tells whether nothing was counted.
func (c Counts) IsZero() bool { return c.Train == nil && c.Val == nil && c.Test == nil }

// partsOf counts a dataset.
func partsOf(d *data.Dataset) Parts {
	count := func(of func(data.Source, int) []int, kinds int) (c Counts) {
		c.Train, c.Test = of(d.Train, kinds), of(d.Test, kinds)
		if d.Val != nil {
			c.Val = of(d.Val, kinds)
		}
		return c
	}
	p := Parts{Classes: d.Classes, ClassCounts: count(data.ClassCounts, len(d.Classes))}
	if d.Grouped {
		p.Groups, p.GroupCounts = d.Groups, count(data.GroupCounts, len(d.Groups))
	}
	return p
}

// Part is what the run's figures are by, in a word: groups where they are given.
func (p *Parts) Part() string {
	if p.Main() == PerGroup {
		return "group"
	}
	return "class"
}

// Main is what people ask for the worst of: the groups where they are given,
// else the classes.
func (p *Parts) Main() Axis {
	if len(p.Groups) > 0 {
		return PerGroup
	}
	return PerClass
}

// Names lists the classes or the groups; nil for another axis.
func (p *Parts) Names(a Axis) []string {
	switch a {
	case PerClass:
		return p.Classes
	case PerGroup:
		return p.Groups
	}
	return nil
}

// Counts counts the samples of the classes or of the groups.
func (p *Parts) Counts(a Axis) Counts {
	switch a {
	case PerClass:
		return p.ClassCounts
	case PerGroup:
		return p.GroupCounts
	}
	return Counts{}
}

// Places names the values of a list measure of the run: classes, groups, radii,
// the lower edges of bins.
func (m *Meta) Places(a Axis) []string {
	var values []float64
	var names []string
	digits := -1
	switch a {
	case PerRadius:
		values = m.Spec.RiskRadii
	case PerRatio:
		values, digits = RatioEdges(), 3
	default:
		return m.Names(a)
	}
	for _, v := range values {
		names = append(names, strconv.FormatFloat(v, 'g', digits, 64))
	}
	return names
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
	m.ClassCounts = Counts{Train: old.TrainCounts, Test: old.TestCounts}
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
	outside := func(n Number, side [2]float64) bool { return !(n.Float() >= side[0] && n.Float() <= side[1]) }
	if !(set.HasRadius() && outside(lambda, m.Box.Lambda)) && !outside(eta, m.Box.Eta) {
		return ""
	}
	return fmt.Sprintf("it excludes the best λ = %.4g, η = %.4g of the training losses: F is %.3g above R_ρ",
		lambda.Float(), eta.Float(), gap.Float())
}
