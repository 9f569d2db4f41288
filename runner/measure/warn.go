package measure

import "fmt"

// Warn reports everything that is usable but suspicious about an evaluation, with a cure. It gives
// each thing a name of its own, so that it is told once, whatever its numbers are later.
func (e *Evaluation) Warn(s Settings, tell func(about, message string)) {
	if !e.solvable() { // a method without λ and η has no box
		return
	}
	if e.aboveBound() > 0 && (e.Settings.BoundsEta || e.Penalised == nil) {
		excludes := "The bounds of λ and η may therefore exclude the best ones."
		if !e.Settings.BoundsEta {
			excludes = "The bound of λ may therefore exclude the best one."
		}
		tell("bound", fmt.Sprintf("Some training losses exceed eta_max = %g, the bound B that "+
			"the theory assumes. %s", s.EtaMax, excludes))
	}
	n := float64(len(e.Train.Losses))
	if held := e.Train.Worst.EffectiveSampleSize / n * float64(s.Batch); held < minEffectiveBatch {
		tell("batch", fmt.Sprintf("The worst case rests on %.3g of the %.0f training samples "+
			"(the effective sample size), which is %.2g in a batch of %d. Raise batch, or take a "+
			"smaller rho or a larger mu.", e.Train.Worst.EffectiveSampleSize, n, held, s.Batch))
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
	outside := func(what, side, bound string, at, end float64, cure string) {
		tell("box "+bound, fmt.Sprintf("The best %s of the training losses is %.3g, which is %s "+
			"its bound %s = %.3g. %s %[4]s to remove this.", what, at, side, bound, end, cure))
	}
	if e.Problem.Set.HasRadius() {
		low, high := box.Lambda[0], box.Lambda[1]
		switch {
		case best.Lambda > high:
			outside("λ", "above", "lambda_max", best.Lambda, high, "Raise")
			return
		case best.Lambda < low:
			if e.Z.Lambda == low {
				tell("box lambda0", fmt.Sprintf("λ is held at its lower bound %.3g; the best λ is "+
					"%.3g. The objective is therefore up to %.2g above the worst-case risk. Lower "+
					"lambda0 to remove this.", low, best.Lambda, low*e.Problem.Rho))
			}
			return
		case e.Z.Lambda == low && best.Lambda > 2*low:
			tell("floor", fmt.Sprintf("λ is at its lower bound %.3g, but the best λ is %.3g. The "+
				"steps of λ and η are too long. Raise c, take sfk-auto, or lower lr_z.", low,
				best.Lambda))
		}
	}
	switch {
	case !e.Settings.BoundsEta:
	case best.Eta < box.Eta[0]:
		outside("η", "below", "eta_min", best.Eta, box.Eta[0], "Lower")
	case best.Eta > box.Eta[1]:
		outside("η", "above", "eta_max", best.Eta, box.Eta[1], "Raise")
	}
}

// minEffectiveBatch is the number of the adversary's effective samples that a batch should hold:
// with fewer, a step follows a handful of losses. It is a rule of thumb, not from a theorem.
const minEffectiveBatch = 8
