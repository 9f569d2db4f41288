package measure

import "fmt"

// Warn reports everything that is usable but suspicious about an evaluation, with a cure. It gives
// each thing a name of its own, so that it is told once, whatever its numbers are later.
func (e *Evaluation) Warn(s Settings, tell func(about, message string)) {
	if !e.solvable() { // a method without λ and η has no box
		return
	}
	if e.aboveBound() > 0 {
		tell("bound", fmt.Sprintf("training losses exceed eta_max = %g, the bound B that the "+
			"theory assumes: the box may exclude the optimum", s.EtaMax))
	}
	n := float64(len(e.Train.Losses))
	if held := e.Train.Worst.EffectiveSampleSize / n * float64(s.Batch); held < minEffectiveBatch {
		tell("batch", fmt.Sprintf("the worst case rests on %.3g of the %.0f training samples "+
			"(effective sample size), which is %.2g in a batch of %d: raise batch, or take a "+
			"smaller rho or a larger mu", e.Train.Worst.EffectiveSampleSize, n, held, s.Batch))
	}
	if e.Penalised == nil {
		e.warnOfBox(tell)
	}
}

// warnOfBox compares the best z of the training losses with the box. If the best λ is outside the
// box, the η beside it says nothing. A box that excludes the optimum keeps the dual gap above 0
// however long the run trains.
func (e *Evaluation) warnOfBox(tell func(about, message string)) {
	best, box := e.Problem.Shift(e.Train.Worst.Z), &e.Problem.Box
	outside := func(what, bound string, at, end float64, cure string) {
		tell("box "+bound, fmt.Sprintf("the box excludes the optimum: the best %s of the "+
			"training losses is %.3g, but %s is %.3g: %s", what, at, bound, end, cure))
	}
	if e.Problem.Set.HasRadius() {
		low, high := box.Lambda[0], box.Lambda[1]
		switch {
		case best.Lambda > high:
			outside("λ", "lambda_max", best.Lambda, high, "raise lambda_max")
			return
		case best.Lambda < low:
			if e.Z.Lambda == low {
				cure := fmt.Sprintf("λ stays there, and F is up to lambda0 rho = %.2g above the "+
					"worst case's risk; lower lambda0 if that is much", low*e.Problem.Rho)
				outside("λ", "lambda0", best.Lambda, low, cure)
			}
			return
		case e.Z.Lambda == low && best.Lambda > 2*low:
			tell("floor", fmt.Sprintf("λ is at lambda0 = %.3g, though the best one is %.3g: the "+
				"steps on z are too long: raise c or take sfk-auto, or lower lr_z",
				low, best.Lambda))
		}
	}
	switch {
	case best.Eta < box.Eta[0]:
		outside("η", "eta_min", best.Eta, box.Eta[0], "lower eta_min")
	case best.Eta > box.Eta[1]:
		outside("η", "eta_max", best.Eta, box.Eta[1], "raise eta_max")
	}
}

// minEffectiveBatch is the number of the adversary's effective samples that a batch should hold:
// with fewer, a step follows a handful of losses. It is a rule of thumb, not from a theorem.
const minEffectiveBatch = 8
