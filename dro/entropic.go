package dro

import (
	"math"
	"slices"
)

// entropic is the part that scent and scdro share. It keeps y, an average over batches of
// mean e^{ℓ/λ}, and weighs a sample by e^{ℓ/λ}/y. It does so in logarithms, with ν = log y, which
// neither overflow nor vanish. λν is an η of KL, and the best one where y is the mean over all
// samples.
//
// Both methods train by KL, whatever the run's uncertainty set is. Where it is another set, F and
// R_ρ of the run belong to another problem, so the methods then show no z and no objective.
type entropic struct {
	Base
	kl     bool // the run's uncertainty set is KL
	rho    float64
	lambda float64
	nu     float64
	begun  bool // ν is of a batch
	last   Eval // of the last batch that was weighed, in the problem of KL
	// effective is n (mean w)²/mean w² of that batch; 0 if every weight is 0.
	effective float64
}

// newEntropic starts at the setting lambda.
func newEntropic(t Task) (entropic, error) {
	e := entropic{lambda: t.Number("lambda")}
	if t.Problem != nil {
		e.rho = t.Problem.Rho
		_, e.kl = t.Problem.Set.(KL)
	}
	return e, checkLambda(e.lambda)
}

// batchShare is the share γ of a batch in the next y, y ← (1−γ)y + γ mean e^{ℓ/λ}, as logarithms.
type batchShare struct {
	keep, take float64 // log(1−γ), log γ
}

// wholeShare is that of the first batch, which is all of y.
var wholeShare = batchShare{keep: math.Inf(-1)}

// average moves ν on a batch.
func (e *entropic) average(losses []float64, s batchShare) {
	e.nu = logAddExp(s.keep+e.nu, s.take+logMeanExp(losses, e.lambda))
	e.begun = true
}

// logMeanExp returns log mean e^{ℓ/λ}, computed relative to the largest loss.
func logMeanExp(losses []float64, lambda float64) float64 {
	most, sum := slices.Max(losses), 0.0
	for _, l := range losses {
		sum += math.Exp((l - most) / lambda)
	}
	return most/lambda + math.Log(sum/float64(len(losses)))
}

// logAddExp returns log(e^a + e^b). Not both may be −Inf.
func logAddExp(a, b float64) float64 {
	return max(a, b) + math.Log1p(math.Exp(-math.Abs(a-b)))
}

// Weights implements Trainer.
func (e *entropic) Weights(w []float64, b Batch) {
	var sum, divergence float64
	for i, l := range b.Losses {
		t := l/e.lambda - e.nu
		w[i] = math.Exp(t)
		sum += w[i]
		divergence += w[i]*t - (w[i] - 1)
	}
	n := float64(len(b.Losses))
	e.last = Eval{Value: e.lambda*(sum/n-1+e.nu) + e.lambda*e.rho, MeanRatio: sum / n,
		Divergence: divergence / n}
	e.effective = effectiveOf(w[:len(b.Losses)], sum)
}

// effectiveOf returns (Σw)²/Σw² of weights with that sum, computed relative to the largest weight,
// so that no square vanishes.
func effectiveOf(w []float64, sum float64) float64 {
	most, squares := slices.Max(w), 0.0
	if most == 0 {
		return 0
	}
	for _, v := range w {
		squares += v / most * (v / most)
	}
	return sum / most * (sum / most) / squares
}

// form returns the form of the weights of a batch with that share in y.
func (e *entropic) form(into []float64, s batchShare) Form {
	return Form{Kind: FormEntropic, Numbers: append(into, e.lambda, s.keep+e.nu, s.take)}
}

// z returns the dual variables in the problem of KL.
func (e *entropic) z() Z { return Z{Lambda: e.lambda, Eta: e.lambda * e.nu} }

// Report implements Trainer.
func (e *entropic) Report(record func(string, float64)) {
	record("effective_batch", e.effective)
	if !e.kl {
		return
	}
	record("objective", e.last.Value)
	record("lambda", e.lambda)
	record("eta", e.z().Eta)
	record("mean_ratio", e.last.MeanRatio)
	record("divergence", e.last.Divergence)
}

// numbers returns the state that both methods keep.
func (e *entropic) numbers() map[string]float64 {
	begun := 0.0
	if e.begun {
		begun = 1
	}
	return map[string]float64{"nu": e.nu, "begun": begun}
}

// restore sets the state of numbers.
func (e *entropic) restore(s State) error {
	v, err := s.numbers("nu", "begun")
	if err == nil {
		e.nu, e.begun = v[0], v[1] != 0
	}
	return err
}

// vanishes reports whether the network got no gradient from the last batch.
func (e *entropic) vanishes() bool { return e.begun && e.last.MeanRatio < 1e-30 }

// entropicMeasures returns the measures of both methods. Only runs whose uncertainty set is KL have
// those of the dual variables.
func entropicMeasures() []Measure { return append(dualMeasures(), effectiveBatch()) }
