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
	// Doc defines the measure in a sentence: of what, on which samples, at which point.
	Doc    string
	Scale  Scale
	Better Sense
	Noisy  bool // computed on a mini-batch: worth smoothing
	// Asks says what decides the value besides the network and the data. Runs that differ in it
	// answer different questions, and no run is better for its answer.
	Asks Question
	// Radius says that only runs whose uncertainty set has a radius have the measure.
	Radius bool
}

// Head returns the heading of a narrow column.
func (m *Measure) Head() string { return cmp.Or(m.Symbol, m.Title) }

// Definition returns the sentence that defines the measure for people.
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

// The scales of measures. In every file a percentage is stored as a share in [0, 1].
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

// Question is the part of a run, besides the network and the data, that decides the value of a
// measure.
type Question int

// The questions of measures.
const (
	OfNetwork   Question = iota // nothing more: any two networks can be compared
	OfLoss                      // the loss function of a sample
	OfSet                       // the loss and the uncertainty set, whatever the run's own radius
	OfProblem                   // the loss, the set and the run's radius
	OfObjective                 // the objective of the run's own method, which its settings change
)
