package launch

import (
	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data"
)

// settingGroup is a heading of the Launch page and the settings under it.
type settingGroup struct {
	title    string
	settings []setting
}

// setting is a key of a preset and, in a line, what it means.
type setting struct{ key, help string }

// settingGroups orders the settings for people: what one changes first comes
// first. Every key of a preset is in it once.
func settingGroups() []settingGroup {
	return []settingGroup{
		{"Runs", []setting{
			{"algorithms", "methods to run side by side, on the same data with the same seeds"},
			{"seeds", "repeats of each method; a claim needs 4 or more"},
			{"seed", "the first seed: initialisation, batch order, augmentation, draws for z"},
		}},
		{"Uncertainty set", []setting{
			{"uncertainty", "the divergence that bounds how far the adversary may reweight"},
			{"rho", "radius ρ > 0, in the scale of φ(t) = (t−1)²/2 at χ²"},
			{"k", "order of the Cressie-Read divergence, 1 < k ≤ 2; χ² is 2"},
			{"mu", "level of the CVaR sets, 0 < μ < 1"},
		}},
		{"Training", []setting{
			{"epochs", "passes over the training split"},
			{"batch", "n_x: samples in a step of the weights"},
			{"lr", "α: step size of the weights and, in PGD and PAN, of z"},
			{"lr_drop_epoch", "epochs after which lr is multiplied by lr_drop; 0 is never"},
			{"lr_drop", "factor on lr from lr_drop_epoch on"},
			{"momentum", "of the weights, in every method alike, 0 ≤ m < 1"},
			{"weight_decay", "of the weights, in every method alike, ≥ 0"},
		}},
		{"Data and model", []setting{
			{"dataset", "a dataset's name, or csv:PATH?label=COLUMN&group=COLUMN"},
			{"model", "the network"},
			{"samples", "training samples before imbalance; 0 is the dataset's own number"},
			{"difficulty", "of the drawn dataset shapes, 0 to 1"},
			{"imbalance", "share of each class kept for training: auto, paper, none or a list"},
			{"augment", "random crops and flips, on training batches only"},
			{"mean", "taken off each channel, of pixels in 0..1; [] is customary"},
			{"std", "each channel is divided by it; [] is customary"},
			{"val_fraction", "share of the training split that is held out, 0 ≤ f < 1"},
		}},
		{"Dual variables", []setting{
			{"coordinates", "paper: η is shifted by λ/(k−1); auto is paper at k = 2"},
			{"lambda", "λ at the start; PAN keeps it"},
			{"eta", "η at the start"},
			{"lambda0", "lower bound of λ, > 0"},
			{"lambda_max", "upper bound of λ; auto derives it from ρ and eta_max"},
			{"eta_min", "lower bound of η; auto derives it"},
			{"eta_max", "upper bound of η: B, the assumed bound of the loss"},
		}},
		{"SFK's step on z", []setting{
			{"c", "C in γ = min(gap/C, 1); auto takes the curvature"},
			{"kappa", "factor on the curvature where c is auto"},
			{"batch_z", "n_z: samples of SFK's own draw for z; 0 is as batch"},
			{"share_batch", "use the weights' batch for z: faster, not independent"},
		}},
		{"Records", []setting{
			{"log_every", "steps between points of the curves"},
			{"eval_every", "epochs between evaluations; 0 is only at the end"},
			{"certify_every", "epochs between full gradient norms; 0 is only at the end"},
			{"checkpoint_every", "steps between checkpoints; 0 is once an epoch"},
			{"checkpoint_keep", "newest checkpoints that are kept"},
		}},
	}
}

// settingChoices are the values that a setting is chosen from with the space
// bar; nil where it is typed.
func settingChoices(key string) []string {
	switch key {
	case "uncertainty":
		return dro.SetNames()
	case "model":
		return nn.Models()
	case "dataset":
		return data.Names()
	case "coordinates":
		return []string{"auto", "paper", "unshifted"}
	case "augment", "share_batch":
		return []string{"false", "true"}
	}
	return nil
}
