package measure

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"drolab/dro"
	"drolab/runner/spec"
)

// Measure is a row of the table of measures: a quantity that runs report, with its definition and
// its computation. The log, its window, summaries, tables, charts, filters and exports range over
// the table. A measure of an evaluation is a row of evalRows; a measure of a step belongs to a
// method (see dro.Method) or is a row of stepRows. To add a measure, add a row: no other code knows
// measures by name. Files keep a name for good, so its meaning must not change.
type Measure struct {
	dro.Measure
	Axis Axis
	// Main says that tables show the measure by default.
	Main bool

	// Value computes a measure of an evaluation; List computes a measure with one value for each
	// place on the axis. Both are nil for a measure of a step.
	Value func(*Evaluation) Number
	List  func(*Evaluation) []Number
	// Counts returns the number of samples behind each share in a list; nil if it has no shares.
	Counts func(*Evaluation) []int

	val    bool   // of the validation split
	group  bool   // for runs with groups
	groups string // the measure of groups that corresponds to this one of classes
	known  bool   // for runs whose optimum is known
	pair   bool   // for data of two classes
	scores bool   // needs the probability of every class
	chosen bool   // for runs with a threshold of their own
}

// Axis is a kind of parts, such as classes: a measure has a number for each part.
type Axis int

// The axes of measures. Each place on an axis has a name: see Meta.Places.
const (
	Single    Axis = iota // one number
	PerClass              // a number per class
	PerGroup              // a number per group, if groups are given
	PerRadius             // a number per radius of the setting risk_radii
	PerRatio              // a number per bin of likelihood ratios: see RatioEdges
)

// IsList reports whether the measure has more than one number: it is in Lists then, else in Values.
func (m *Measure) IsList() bool { return m.Axis != Single }

// OfStep reports whether the measure describes training steps and not evaluations.
func (m *Measure) OfStep() bool { return m.Value == nil && m.List == nil }

// OfValidation reports whether the measure describes the validation split.
func (m *Measure) OfValidation() bool { return m.val }

func init() { spec.SelectBy(selections) }

// selections returns the names of the measures by which a run may select a step: the numbers of the
// validation split that have a better side. Nothing is ever selected on the test split.
func selections() (names []string) {
	for _, m := range evalRows() {
		if m.val && !m.IsList() && m.Better != dro.Neither {
			names = append(names, m.Name)
		}
	}
	return names
}

// Subject is the part of a run that decides which measures it has: its settings, the parts of its
// data, and whether its optimum is known. It is an interface since runner.Meta, which implements
// it, is in a package that imports this one.
type Subject interface {
	Measured() (s *spec.Spec, p *Parts, optimum bool)
}

// Scores reports whether the measure needs the probability of every class.
func (m *Measure) Scores() bool { return m.scores }

// CanApply reports whether evaluations of the run can have the measure. Its files leave out a
// measure that they cannot have.
func (m *Measure) CanApply(to Subject) bool {
	s, p, optimum := to.Measured()
	switch {
	case m.val && p.ClassCounts.Val == nil:
		return false
	case m.pair && len(p.Classes) != 2, m.chosen && !s.Threshold.IsSet():
		return false
	case m.known:
		return optimum
	case m.group || m.Axis == PerGroup:
		return len(p.Groups) > 0
	case m.Axis == PerRadius, m.Radius:
		set, err := s.Set()
		return err == nil && set.HasRadius() && (m.Radius || len(s.RiskRadii) > 0)
	}
	return true
}

// stepRows returns the measures that steps of every method report. The loss precedes the method's
// own measures and the gradient norm follows them, which is the order of the log.
func stepRows() (first, last Measure) {
	loss := dro.Measure{Name: "loss", Title: "train loss", Unit: "nats",
		Scale: dro.Log, Better: dro.Lower, Noisy: true, Asks: dro.OfLoss,
		Doc: "mean loss of the step's own batch, augmented, in training mode"}
	norm := dro.Measure{Name: "grad_norm", Title: "gradient norm", Symbol: "‖g‖",
		Scale: dro.Log, Noisy: true,
		Doc: "‖mean w_i ∇ℓ_i‖ of the x-batch, with the method's weights w, before clipping"}
	return Measure{Main: true, Measure: loss}, Measure{Measure: norm}
}

// StepMeasures lists the measures of steps of all methods, the measures of the paper's methods
// first.
func StepMeasures() []Measure { return stepMeasures(dro.Methods()) }

func stepMeasures(methods []dro.Method) []Measure {
	first, last := stepRows()
	list := append(make([]Measure, 0, 2+len(methods)), first) // a method adds about one
	for _, m := range methods {
		for _, d := range m.Measures {
			if !slices.ContainsFunc(list, func(o Measure) bool { return o.Name == d.Name }) {
				list = append(list, Measure{Measure: d, Main: !d.Noisy})
			}
		}
	}
	return append(list, last)
}

// StepNames returns the names of the measures in the log of a method's steps: its own measures and
// the measures of the paper's methods, which are null where they do not apply.
func StepNames(method dro.Algorithm) []string {
	reported := append(dro.PaperMethods(), method)
	methods := slices.DeleteFunc(slices.Clone(dro.Methods()), func(m dro.Method) bool {
		return !slices.Contains(reported, m.Name)
	})
	return spec.Map(stepMeasures(methods), func(m Measure) string { return m.Name })
}

// added holds the rows of RegisterMeasure. It has no lock, since it changes only while no run
// trains.
var added []Measure

// RegisterMeasure adds a measure of evaluations to the table and returns a function that removes
// it. It is for the start of a program and for tests, and must not be called while runs train. It
// panics if the name is taken or nothing computes the measure.
func RegisterMeasure(m Measure) (remove func()) {
	_, taken := FindMeasure(m.Name)
	if taken || m.Name == "" || m.OfStep() || m.IsList() != (m.List != nil) {
		panic("measure: RegisterMeasure wants a new name and a Value, or an Axis and a List")
	}
	added = append(slices.Clip(added), m)
	same := func(o Measure) bool { return o.Name == m.Name }
	return func() { added = slices.DeleteFunc(slices.Clone(added), same) }
}

// EvalMeasures lists the measures of evaluations, in the order of the log, with the registered ones
// last. The list is the caller's own.
func EvalMeasures() []Measure { return slices.Concat(evalRows(), added) }

// SummaryMeasures lists the measures of a summary: the measures of the last evaluation and, of the
// last step, the measures that do not depend on its mini-batch.
func SummaryMeasures() []Measure {
	steady := slices.DeleteFunc(StepMeasures(), func(m Measure) bool { return m.Noisy })
	return append(EvalMeasures(), steady...)
}

// FindMeasure returns the measure of that name. If a step and an evaluation have a measure of the
// same name, it returns the evaluation's. A measure of a program's own has no better side here,
// since only its run knows that.
func FindMeasure(name string) (Measure, bool) {
	named := func(m Measure) bool { return m.Name == name }
	registered := func() []Measure { return added }
	// The last list is made anew for each call.
	for _, table := range []func() []Measure{evalRows, registered, StepMeasures} {
		list := table()
		if i := slices.IndexFunc(list, named); i >= 0 {
			return list[i], true
		}
	}
	if IsUser(name) {
		return UserMeasure(name, dro.Neither), true
	}
	return Measure{}, false
}

// Compute computes a measure of evaluations, and sets it in l if it is a list, else in v.
func (m *Measure) Compute(e *Evaluation, v *Values, l *Lists) {
	if m.List != nil {
		l.Set(m.Name, m.List(e))
		return
	}
	v.Set(m.Name, m.Value(e))
}

// ofTest returns a row of the test split. It does not apply in a run without such a split.
func (m Measure) ofTest() Measure {
	return m.onSplit(func(e *Evaluation) *Pass { return e.Test })
}

// ofVal returns the measure of the validation split that corresponds to a row of the test split.
// One row defines both, so that they cannot diverge. The name has the prefix val_, in place of
// test_ if the test split's name has that.
func (m Measure) ofVal() Measure {
	m.Name = "val_" + strings.TrimPrefix(m.Name, "test_")
	m.Title = "validation " + strings.TrimPrefix(m.Title, "test ")
	m.Symbol = ""
	m.Doc = strings.ReplaceAll(m.Doc, "test ", "validation ")
	m.Main, m.val = false, true
	if m.groups != "" {
		m.groups = "val_" + m.groups
	}
	return m.onSplit(func(e *Evaluation) *Pass { return e.Val })
}

// onSplit makes a row of the test split compute its measure on the given split.
func (m Measure) onSplit(split func(*Evaluation) *Pass) Measure {
	m.Value = computeOn(split, m.Value)
	m.List = computeOn(split, m.List)
	m.Counts = computeOn(split, m.Counts)
	return m
}

// computeOn returns a function that computes for a split what compute computes for the test split.
// It returns the zero value where there is no such split. If compute is nil, so is the function.
func computeOn[T any](split func(*Evaluation) *Pass, compute func(*Evaluation) T) func(
	*Evaluation) T {
	if compute == nil {
		return nil
	}
	return func(e *Evaluation) (none T) {
		p := split(e)
		if p == nil {
			return none
		}
		of := *e
		of.Test = p
		return compute(&of)
	}
}

// evalRows returns the table of measures of evaluations, in the order of the log.
var evalRows = sync.OnceValue(func() []Measure {
	right := slices.Concat(accuracyRows(), decisionRows())
	split := slices.Concat(lossRows(), riskRows())
	return slices.Concat(spec.Map(right, Measure.ofTest), []Measure{thresholdRow(), trainLoss()},
		spec.Map(split, Measure.ofTest), ratioRows(), dualRiskRows(), outputRows(),
		spec.Map(slices.Concat(right, split), Measure.ofVal))
})

// The rows of the table of measures of evaluations.

// percent returns a measure that is a share in [0, 1], the higher the better; tables and charts
// show it in percent.
func percent(name, title, symbol, doc string) dro.Measure {
	return dro.Measure{Name: name, Title: title, Symbol: symbol, Unit: "%", Scale: dro.Percent,
		Better: dro.Higher, Doc: doc}
}

// nats returns a measure in the unit of a cross-entropy loss with the natural logarithm, the lower
// the better. Squared losses have this unit too, though they are not in nats.
func nats(name, title, doc string) dro.Measure {
	return dro.Measure{Name: name, Title: title, Unit: "nats", Better: dro.Lower,
		Asks: dro.OfLoss, Doc: doc}
}

// ofProblem marks a measure as depending on the uncertainty set at the run's radius.
func ofProblem(d dro.Measure) dro.Measure {
	d.Asks = dro.OfProblem
	return d
}

// logScale gives a measure a logarithmic axis, for values that fall by powers of ten.
func logScale(d dro.Measure) dro.Measure {
	d.Scale = dro.Log
	return d
}

// These rows are of the test split: see Measure.ofVal.

// accuracyRows returns the shares of correct predictions: of the whole split, per part, and of the
// worst part.
func accuracyRows() []Measure {
	accuracy := func(a Axis) func(*Evaluation) []Number {
		return func(e *Evaluation) []Number { return e.By(a, e.Test, e.Test.Hits()) }
	}
	worst := func(a Axis) func(*Evaluation) Number {
		return func(e *Evaluation) Number { return e.LeastAccuracy(a) }
	}
	const few = " with at least min_group of them"
	return []Measure{
		{Main: true, Axis: PerClass, groups: "group_accuracy", List: accuracy(PerClass),
			Measure: percent("class_accuracy", "accuracy", "",
				"share of the class's test samples classified correctly")},
		{Main: true, Axis: PerGroup, List: accuracy(PerGroup),
			Measure: percent("group_accuracy", "group accuracy", "",
				"share of the group's test samples classified correctly")},
		{Axis: PerGroup, List: (*Evaluation).recall,
			Measure: percent("group_recall", "group recall", "",
				"balanced accuracy within the group: the mean, over the classes of the "+
					"group's test samples, of the share classified correctly; the accuracy if "+
					"the group has one class")},
		{Main: true, groups: "worst_group_accuracy", Value: worst(PerClass),
			Measure: percent("worst_class_accuracy", "worst class accuracy", "worst class",
				"the lowest accuracy per class on test samples, over the classes"+few)},
		{Main: true, group: true, Value: worst(PerGroup),
			Measure: percent("worst_group_accuracy", "worst group accuracy", "worst group",
				"the lowest accuracy per group on test samples, over the groups"+few)},
		{Main: true, Value: func(e *Evaluation) Number { return e.Test.Accuracy() },
			Measure: percent("test_accuracy", "mean accuracy", "mean",
				"share of all test samples classified correctly")},
		{Value: (*Evaluation).balanced,
			Measure: percent("balanced_accuracy", "balanced accuracy", "balanced",
				"mean, over the classes with test samples, of the share classified correctly")},
		{Value: func(e *Evaluation) Number { return e.Test.calibrationError() },
			Measure: dro.Measure{Name: "calibration_error", Title: "calibration error",
				Unit: "%", Scale: dro.Percent, Better: dro.Lower,
				Doc: "expected calibration error: the test samples fall into 15 bins of equal " +
					"width by the largest predicted probability; the mean over the samples of " +
					"the distance between their bin's accuracy and its mean probability (Guo " +
					"et al. 2017)"}},
	}
}

// lossRows returns the mean losses of a split and of its parts.
func lossRows() []Measure {
	loss := func(a Axis) func(*Evaluation) []Number {
		return func(e *Evaluation) []Number { return e.By(a, e.Test, e.Test.Losses) }
	}
	return []Measure{
		{Axis: PerClass, groups: "group_loss", List: loss(PerClass),
			Measure: nats("class_loss", "loss", "mean loss of the class's test samples")},
		{Axis: PerGroup, List: loss(PerGroup),
			Measure: nats("group_loss", "group loss", "mean loss of the group's test samples")},
		{Main: true, Value: func(e *Evaluation) Number { return e.Test.Loss() },
			Measure: logScale(nats("test_loss", "test loss",
				"mean loss over the test split, unaugmented, in evaluation mode"))},
	}
}

// riskRows returns the measures of the split's own exact worst cases (math.md §3).
func riskRows() []Measure {
	at := nats("robust_risk_at", "robust risk at ρ",
		"R_ρ of the test losses at each radius ρ of the setting risk_radii, solved exactly; "+
			"not for a set without a radius")
	at.Asks = dro.OfSet
	return []Measure{
		{Main: true,
			Value: func(e *Evaluation) Number { return e.Test.ifLosses(e.Test.Worst.Risk) },
			Measure: ofProblem(nats("robust_risk", "robust risk",
				"R_ρ of the test losses: their largest mean over all reweightings Q with "+
					"D_φ(Q‖P) ≤ ρ, solved exactly"))},
		{Axis: PerRadius, List: func(e *Evaluation) []Number { return e.Test.Risks }, Measure: at},
	}
}

// trainLoss returns a measure besides the loss of steps. The loss of steps is of augmented batches
// at weights that move, so the two must not be compared.
func trainLoss() Measure {
	return Measure{Main: true, Value: func(e *Evaluation) Number { return e.Train.Loss() },
		Measure: logScale(nats("train_loss", "train loss",
			"mean loss over the training split, unaugmented, in evaluation mode"))}
}

// ratioRows returns the measures that show where the adversary looks. Group DRO's own weights are
// different: its steps report them.
func ratioRows() []Measure {
	row := func(name, title, part, groups string, a Axis) Measure {
		return Measure{Axis: a, groups: groups,
			List: func(e *Evaluation) []Number { return e.By(a, e.Train, e.Ratios) },
			Measure: dro.Measure{Name: name, Title: title, Unit: "mean ratio",
				Asks: dro.OfProblem,
				Doc: "mean likelihood ratio dQ/dP of the " + part + "'s training samples under " +
					"the exact worst case Q of the training losses: 1 is no reweighting, and " +
					"above 1 the adversary looks; defined for ERM, too"}}
	}
	return []Measure{row("class_weight", "weight", "class", "group_ratio", PerClass),
		row("group_ratio", "adversary's ratio", "group", "", PerGroup), histogramRow()}
}

// dualRiskRows returns the measures that compare F at the method's z with the exact worst case, on
// the training split (math.md §3). For a method without dual variables, the measures that need z do
// not apply.
func dualRiskRows() []Measure {
	return []Measure{
		{Measure: ofProblem(nats("train_objective", "train objective",
			"F(x; λ, η) on the training split, unaugmented")),
			Value: (*Evaluation).objective},
		{Measure: ofProblem(nats("train_robust_risk", "train robust risk",
			"R_ρ of the training losses, unaugmented, solved exactly")),
			Value: func(e *Evaluation) Number { return e.Train.ifLosses(e.Train.Worst.Risk) }},
		{Main: true, known: true, Measure: logScale(ofProblem(nats("excess_risk", "excess risk",
			"R_ρ(x) − min over x of R_ρ on the training split: how far the network is from "+
				"the best one of its kind, which was found before the start (setting optimum) "+
				"between two bounds 1e-9 apart"))),
			Value: (*Evaluation).excessRisk},
		{Main: true, Measure: ofProblem(nats("dual_gap", "dual gap",
			"F(x; λ, η) − R_ρ(x) on the training split: 0 where λ and η are the best for this "+
				"network, so it is the error of the dual variables alone")),
			Value: func(e *Evaluation) Number {
				f := e.objective()
				return NumIf(f.Applies(), f.value-e.Train.Worst.Risk)
			}},
		{Main: true, Measure: ofProblem(nats("penalised_gap", "penalised gap",
			"F(x; λ, η) − min over η of F(x; λ, η) on the training split, for methods with a "+
				"fixed λ: 0 where η is the best for this network, in their own problem; the "+
				"dual gap includes the error of λ")),
			Value: (*Evaluation).penalisedGap},
		{Measure: ofProblem(dro.Measure{Name: "best_lambda", Title: "best λ", Symbol: "λ*",
			Doc: "the λ of the exact worst case on the training split: the best for this network"}),
			Value: func(e *Evaluation) Number { return NumIf(e.solvable(), e.bestZ().Lambda) }},
		{Measure: ofProblem(dro.Measure{Name: "best_eta", Title: "best η", Symbol: "η*",
			Doc: "the η of the exact worst case on the training split, in the coordinates of " +
				"the run's η"}),
			Value: func(e *Evaluation) Number { return NumIf(e.solvable(), e.bestZ().Eta) }},
		{Measure: dro.Measure{Name: "worst_divergence", Title: "worst case's divergence",
			Asks: dro.OfProblem, Doc: "D_φ(Q‖P) of the exact worst case on the training split; " +
				"below ρ where the radius does not bind"},
			Value: func(e *Evaluation) Number {
				return e.Train.ifLosses(e.Train.Worst.Divergence)
			}},
		{Measure: dro.Measure{Name: "effective_sample_size", Title: "effective sample size",
			Scale: dro.Whole, Unit: "samples", Asks: dro.OfProblem,
			Doc: "n (mean r)²/mean r² of the exact worst case on the training split"},
			Value: func(e *Evaluation) Number {
				return e.Train.ifLosses(e.Train.Worst.EffectiveSampleSize)
			}},
		{Main: true, Measure: dro.Measure{Name: "full_grad_norm", Title: "full gradient norm",
			Symbol: "‖∇F‖", Better: dro.Lower, Asks: dro.OfObjective,
			Doc: "‖∇_x F(x; λ, η)‖ of the method's own objective over the training split " +
				"(ERM: of the mean loss)"},
			Value: func(e *Evaluation) Number { return e.GradNorm }},
		{Measure: dro.Measure{Name: "above_bound", Title: "losses above B",
			Scale: dro.Whole, Unit: "samples",
			Doc: "number of training losses above eta_max, the bound B that the theory assumes"},
			Value: func(e *Evaluation) Number { return e.Train.ifLosses(float64(e.aboveBound())) }},
	}
}

// outputRows returns the measures of the paper's own output, not of the last iterate.
func outputRows() []Measure {
	const at = " on the training split, at the output of the paper's Algorithm 1: x after " +
		"step t', λ and η before it, where t' is the step with the least ‖∇_x f‖² + gap² on " +
		"its batches or, with output: random, a random step"
	of := func(value func(*Output) float64) func(*Evaluation) Number {
		return func(e *Evaluation) Number {
			if e.Output == nil {
				return Number{}
			}
			return Num(value(e.Output))
		}
	}
	return []Measure{
		{Measure: ofProblem(nats("output_dual_gap", "dual gap of the output",
			"F(x; λ, η) − R_ρ(x)"+at)),
			Value: of(func(o *Output) float64 { return o.DualGap })},
		{Measure: dro.Measure{Name: "output_grad_norm", Title: "gradient norm of the output",
			Better: dro.Lower, Asks: dro.OfObjective, Doc: "‖∇_x F(x; λ, η)‖" + at},
			Value: of(func(o *Output) float64 { return o.GradNorm })},
	}
}

// A program that is trained may log values of its own, which it names itself. They are in step
// events beside the measures of the table, and are measures of that run alone.

// userPrefix is the prefix of the names of such values, so that none equals a name of the table.
const userPrefix = "user."

// Limits of a program's own values.
const (
	MostUser     = 64 // number of names in a run
	mostUserName = 64 // length of a name in bytes, without the prefix
)

// Sides says which values of a program's own measures are better: the greater for the measures in
// Higher, the smaller for those in Lower. For all others it is not known.
type Sides struct {
	Higher []string `json:"higher,omitempty"`
	Lower  []string `json:"lower,omitempty"`
}

// UserName returns the name of the measure for the value that a program calls name. Names are in
// files, filters, lists and on screens: a character that has another meaning in one of these
// becomes an underscore.
func UserName(name string) (string, error) {
	name = strings.Map(func(r rune) rune {
		if !inUserName(r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	switch {
	case name == "":
		return "", errors.New("a value of its own has no name")
	case len(name) > mostUserName:
		cut := mostUserName
		for !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut]
	}
	return userPrefix + name, nil
}

// inUserName reports whether a character has no other meaning anywhere.
func inUserName(r rune) bool {
	return unicode.IsPrint(r) && !unicode.IsSpace(r) && !strings.ContainsRune("\"\\,;:=<>!|()`", r)
}

// IsUser reports whether a measure's name is the name of a program's own value. A name that
// UserName would not return is not: a file may come from anybody.
func IsUser(name string) bool {
	said, ok := strings.CutPrefix(name, userPrefix)
	return ok && 0 < len(said) && len(said) <= mostUserName && utf8.ValidString(said) &&
		!strings.ContainsFunc(said, func(r rune) bool { return !inUserName(r) })
}

// Clean returns the sides with UserName applied to the names that a program gave.
func (s Sides) Clean() (c Sides, err error) {
	for _, side := range []struct {
		to   *[]string
		from []string
	}{{&c.Higher, s.Higher}, {&c.Lower, s.Lower}} {
		for _, said := range side.from {
			name, err := UserName(said)
			if err != nil {
				return Sides{}, err
			}
			*side.to = append(*side.to, name)
		}
	}
	return c, nil
}

// Sense returns the better side of a measure of a program's own.
func (s Sides) Sense(name string) dro.Sense {
	switch {
	case slices.Contains(s.Higher, name):
		return dro.Higher
	case slices.Contains(s.Lower, name):
		return dro.Lower
	}
	return dro.Neither
}

// UserMeasure returns the row of a program's own value; all such rows are made here. IsUser accepts
// its name.
func UserMeasure(name string, better dro.Sense) Measure {
	return Measure{Main: true, Measure: dro.Measure{Name: name, Title: name, Better: better,
		Doc: "a value of the program's own, as it last gave it"}}
}

// User returns the values of the program's own.
func (v Values) User() (own Values) {
	for _, x := range v {
		if IsUser(x.Name) {
			own = append(own, x)
		}
	}
	return own
}
