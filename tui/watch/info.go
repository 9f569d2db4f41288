package watch

import (
	"drolab/tui/kit"
)

// definition says what a quantity is, in terms of math.md and of the log.
func (q quantity) definition() string {
	return [...]string{
		"Train loss: mean cross-entropy (nats) of the step's own batch, augmented, in training mode. Faint: every logged step with the least and greatest since the one before; strong: smoothed.",
		"Test loss: mean cross-entropy (nats) over the test split, in evaluation mode.",
		"Mean accuracy: part of all test images that are classified right, at the last iterate.",
		"Worst class accuracy: the lowest of the test accuracies per class (group), at the last iterate.",
		"λ: multiplier of the constraint D_φ(Q‖P) ≤ ρ. A small λ lets the adversary reweight freely, a large one holds it near the data. It stays in its box [λ0, λ max].",
		"η: multiplier of the constraint that the weights average 1: the loss level around which the adversary reweights. In paper coordinates it is shifted by -λ/(k-1). It stays in its box.",
		"Dual gap: F(x; λ, η) - R_ρ(x) on the training split. It is 0 where λ and η are the best for this network, so it measures the error of the dual variables alone.",
		"Frank-Wolfe gap: -<d, g> of SFK's dual step on its own batch, d being the way to the box's best corner. An upper bound of the dual objective's error, on that batch.",
		"γ: SFK's dual step size, min(gap/C, 1).",
		"Robust risk: R_ρ of the test losses, the largest mean over all reweightings Q with D_φ(Q‖P) ≤ ρ, solved exactly.",
	}[q]
}

func (b barsOf) definition() string {
	switch b {
	case classAccuracy:
		return "Accuracy by class: part of the class's test images that are classified right, in percent; the mark is the worst class. Then the change against the baseline run in points (b chooses it; its value is the tick on the bar), and the number of training images."
	case classLoss:
		return "Loss by class: mean cross-entropy (nats) of the class's test images; the mark is the worst class. Then the change against the baseline run, and the number of training images."
	}
	return "Weight by class: mean likelihood ratio dQ/dP of the class's training images under the exact worst case Q of the training losses. 1 is no reweighting; above 1 is where the adversary looks. ERM has it too. Last: the number of training images."
}

// info is what the focused panel shows, defined.
func (w *Page) info() *kit.Overlay {
	v := w.shows(w.focus)
	var texts []string
	for _, q := range v.curves {
		texts = append(texts, q.definition())
	}
	if v.bars != noBars {
		texts = append(texts, v.bars.definition())
	}
	if v.phase {
		texts = append(texts, "Phase portrait: the path of (λ, η) over the steps, older parts faint, in the box that both stay in.",
			lambda.definition(), eta.definition())
	}
	texts = append(texts, "In the table: train loss of the last logged batch; worst %, test % and losses of the last evaluation; time left at the mean speed so far, evaluations included.",
		"A vertical mark r is a resume from a checkpoint, k a change of a setting, f where a fork leaves its parent, whose curve it goes on.")
	var lines []string
	for i, s := range texts {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, kit.Wrap(w.Theme.Greek(s), min(76, w.Body.W-6))...)
	}
	title := w.focus.String()
	if v.name != "" {
		title += " · " + v.name
	}
	return &kit.Overlay{Title: w.Theme.Greek(title), Lines: lines}
}
