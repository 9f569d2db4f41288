package dro

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Measure describes a quantity that a method or an evaluation reports: the one
// place for its name, its definition and how it is drawn.
type Measure struct {
	Name   string // in files, --json, tables and filters: snake case
	Title  string // for people, where there is room: "Frank-Wolfe gap"
	Symbol string // short, for a column's head; empty: the title
	Unit   string // "nats", "%"; empty: none
	// Doc defines it in a sentence: of what, on which samples, at which point.
	Doc    string
	Scale  Scale
	Better Sense
	Noisy  bool // of a mini-batch: worth smoothing
	// Asks says what beside the network and the data decides the value: runs that
	// differ in it answer different questions, and none is better for its answer.
	Asks Question
	// Radius says that a run whose uncertainty set has no radius does not have it.
	Radius bool
}

// Head is what a narrow column is called.
func (m *Measure) Head() string { return cmp.Or(m.Symbol, m.Title) }

// Definition is the sentence that defines the measure for people.
func (m *Measure) Definition() string {
	first, size := utf8.DecodeRuneInString(m.Title)
	start := string(first)
	if first < utf8.RuneSelf && !strings.Contains(m.Title, ".") { // a symbol is no word, nor a name
		start = string(unicode.ToUpper(first))
	}
	return start + m.Title[size:] + ": " + m.Doc + "."
}

// Scale is the natural scale of a measure's axis.
type Scale int

// The scales of measures. A percentage is a share in 0..1 in every file.
const (
	Linear Scale = iota
	Log
	Percent
	Whole // a count or a rate, shown without decimals
)

// Sense says which values of a measure are the better ones.
type Sense int

// The senses of measures.
const (
	Neither Sense = iota
	Lower
	Higher
)

// Question is what a measure asks about a network.
type Question int

// The questions of measures.
const (
	OfNetwork   Question = iota // any two networks can be compared in it
	OfLoss                      // of the loss of a sample
	OfSet                       // of that and of the uncertainty set, whatever the run's own radius
	OfProblem                   // of the set at the run's radius
	OfObjective                 // of what the run's own method minimises, which its settings change
)

// The measures of methods with dual variables, on a step's own batch and at
// the z that the step started from, λ and η after the step.
func dualMeasures() []Measure {
	return []Measure{
		{Name: "objective", Title: "dual objective",
			Unit: "nats", Scale: Log, Better: Lower, Noisy: true, Asks: OfProblem,
			Doc: "F(x; λ, η) of the x-batch at the z before the step: an upper bound of its " +
				"worst-case risk"},
		{Name: "lambda", Title: "λ", Symbol: "λ", Unit: "nats", Radius: true,
			Doc: "multiplier of the constraint D_φ(Q‖P) ≤ ρ, after the step: a small λ lets the " +
				"adversary reweight freely, a large one holds it near the data; it stays in its " +
				"box"},
		{Name: "eta", Title: "η", Symbol: "η", Unit: "nats",
			Doc: "multiplier of the constraint that the weights average 1, after the step: the " +
				"loss level around which the adversary reweights; in paper coordinates shifted " +
				"by −λ/(k−1)"},
		{Name: "mean_ratio", Title: "mean ratio", Noisy: true, Asks: OfProblem,
			Doc: "mean likelihood ratio r of the x-batch; 1 where F is least in η"},
		{Name: "divergence", Title: "batch divergence", Noisy: true, Asks: OfProblem,
			Doc: "mean φ(r) of the x-batch; ρ where F is least in λ"},
	}
}
