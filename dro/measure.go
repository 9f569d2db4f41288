package dro

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
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

// dualMeasures returns the measures of methods with dual variables. They are taken on a step's own
// batch at the z that the step started from; λ and η are those after the step.
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
				"loss level around which the adversary reweights; where the coordinates of the " +
				"run are the paper's, shifted by −λ/(k−1)"},
		{Name: "mean_ratio", Title: "mean ratio", Noisy: true, Asks: OfProblem,
			Doc: "mean likelihood ratio r of the x-batch; 1 where F is least in η"},
		{Name: "divergence", Title: "batch divergence", Noisy: true, Asks: OfProblem,
			Doc: "mean φ(r) of the x-batch; ρ where F is least in λ"},
	}
}

// Magnitude is the natural logarithm of a positive constant. The constants of
// the theory overflow a float64 near k = 1; their logarithms do not.
type Magnitude float64

// MagnitudeOf returns the Magnitude of v > 0.
func MagnitudeOf(v float64) Magnitude { return Magnitude(math.Log(v)) }

// Float64 returns the constant itself, +Inf or 0 where that is out of range.
func (m Magnitude) Float64() float64 { return math.Exp(float64(m)) }

// MarshalJSON writes the constant, null where a float64 cannot hold it, and its decimal
// logarithm.
func (m Magnitude) MarshalJSON() ([]byte, error) {
	var value *float64
	if v := m.Float64(); v > 0 && !math.IsInf(v, 1) {
		value = &v
	}
	return json.Marshal(struct {
		Value *float64 `json:"value"`
		Log10 float64  `json:"log10"`
	}{value, m.Log10()})
}

// Log10 returns the decimal logarithm.
func (m Magnitude) Log10() float64 { return float64(m) / math.Ln10 }

// String formats three significant digits, such as 1.99e+08 or 3.17e+4012.
func (m Magnitude) String() string {
	if v := m.Float64(); v > 1e-300 && v < 1e300 {
		return fmt.Sprintf("%.3g", v)
	}
	if math.IsNaN(float64(m)) || math.IsInf(float64(m), 0) {
		return fmt.Sprint(m.Float64())
	}
	exponent := math.Floor(m.Log10())
	digits := fmt.Sprintf("%.2f", math.Pow(10, m.Log10()-exponent))
	if digits == "10.00" {
		digits, exponent = "1.00", exponent+1
	}
	return fmt.Sprintf("%se%+03d", digits, int64(exponent))
}

// power returns v^e.
func (m Magnitude) power(e float64) Magnitude { return Magnitude(e) * m }

// plus returns the Magnitude of the sum.
func (m Magnitude) plus(o Magnitude) Magnitude {
	hi, lo := max(m, o), min(m, o)
	if math.IsInf(float64(lo), -1) {
		return hi
	}
	return hi + Magnitude(math.Log1p(math.Exp(float64(lo-hi))))
}
