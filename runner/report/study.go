package report

import (
	"regexp"
	"time"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// Study is the content of a study's file.
type Study struct {
	Word  string // what the user calls it: a path, or recorded:NAME
	Title string
	Doc   string // the sentences at the head of its page

	// Registered is the time from which runs are confirmatory: those begun before it are
	// exploratory. It is zero for a study that is not registered. Nothing is tested before
	// WaitUntil while runs are missing.
	Registered, WaitUntil time.Time
	Seeds                 []uint64 // ascending

	Conditions []Condition // at least one; the label of the only one may be empty
	Arms       []Arm
	Families   []Family
	// Reproduction has comparisons of single arms with published numbers.
	Reproduction []Reproduction
	Published    *Published // nil without a published table
	Sensitivity  []Sensitivity
	// Window is the number of the last evaluations whose mean is told beside the last one; 0: none.
	Window int
	// Presets are those that the arms name, each once.
	Presets []runner.Preset
}

// Condition is a circumstance under which every claim is tested, such as a radius.
type Condition struct {
	Label  string
	Radius float64 // of the robust risk, among risk_radii; 0: each run's own
}

// Arm is a method with its settings.
type Arm struct {
	Name  string
	Label string // in tables
	Specs []spec.Spec
	// Presets has the name of the preset under each condition.
	Presets []string
}

// Method returns the arm's method.
func (a *Arm) Method() dro.Algorithm { return a.Specs[0].Algorithm() }

// Family is a set of claims that are corrected together.
type Family struct {
	Name      string
	Title     string
	Secondary bool // it stands behind the others and the reproduction
	// Confidence is 1 less the level of its tests.
	Confidence float64
	Correction string // one of Corrections
	Claims     []Claim
}

// The corrections for the number of a family's tests.
const (
	Holm = "holm"
	None = "none"
)

// Claim is a statement about pairs of arms, in a form that can be tested on runs. The measure of
// the first arm is above or below that of the second or, with Equivalent, near it.
type Claim struct {
	Key     string // names it in JSON
	Says    string // "A says B"
	Source  string
	Reading string // what is measured, on which the verdict depends
	Name    string // of the measure, in tables; empty: the measure's own
	Measure string // StepTime, or a measure of evaluations
	Along   bool   // the mean over the evaluations at equal steps, not the last one
	// Classes are the classes over which the measure is pooled, in the first and the second arm;
	// nil: all. Parts names them where the two arms are one.
	Classes [2][]int
	Parts   []string
	Pairs   [][2]int // of arms
	Higher  bool
	// Margin is added to the second arm. Equivalent, above 0, makes the claim that the arms differ
	// by less. Both are in the measure's own unit, a share for accuracies.
	Margin     float64
	Equivalent float64
	Under      []int  // conditions
	As         string // label in place of the condition's
}

// StepTime is the measure of claims on the time of a step.
const StepTime = "step_time"

// Reproduction is the comparison of an arm's mean with a published number.
type Reproduction struct {
	Arm     int
	Measure string
	Value   float64 // in the measure's own unit
	Under   []int
}

// Published is a published table of accuracies per class.
type Published struct {
	Name   string               // of the table
	Figure string               // the figure of the same publication
	Rows   map[string][]float64 // by arm, in per cent
	Preset string               // the preset with the published settings
	// Low are the classes that the table calls the lowest; their mean is a row of tables.
	Low []int
	// Silent lists readings that are not settings.
	Silent []Departure
}

// Mean returns the mean over the classes, which have equally many test samples, in per cent.
func (p *Published) Mean(arm string) float64 { return measure.Mean(p.Rows[arm]) }

// Sensitivity is a setting whose values a study's page compares, with one seed each.
type Sensitivity struct {
	Setting string
	Values  []string
	Arms    []int
}

// StudyKey is the key by which a study's file is told from a preset's.
const StudyKey = "study"

// IsStudy reports whether the text of a YAML file is meant as a study.
func IsStudy(text []byte) bool { return regexp.MustCompile(`(?m)^` + StudyKey + `[ \t]*:`).Match(text) }

// IsStudyFile reports whether a word names a file that is a study.
func IsStudyFile(word string) bool {
	text, err := presets.ReadFile(word)
	return err == nil && IsStudy(text)
}
