package panel

import "drolab/tui/cell"

// BuiltIn returns the panels that are there whatever the methods: a row for each, with its views,
// the default view first. A screen of usual size shows the first four, so the order is that of the
// questions that one asks of a run.
//
// To add a panel, add a row. It needs a Doc only where the definitions of its measures do not say
// enough.
func BuiltIn() []Panel {
	curves := func(name string, measures ...string) View {
		return View{Name: name, Curves: measures}
	}
	const who, look = "class_accuracy", "class_weight"
	return []Panel{
		{Title: "Loss", Views: []View{
			curves("batch and test", "loss", "test_loss"),
			curves("batch", "loss"),
			curves("test", "test_loss"),
			curves("robust risk", "robust_risk"),
			{Name: "robust risk by radius", Bars: "robust_risk_at", As: RadiusCurves{}, Plain: true,
				Doc: "R_ρ of every run's last evaluation over ρ; the vertical mark is the " +
					"training radius of the run under the cursor."}}},
		{Title: "Who suffers, by class", Views: []View{
			{Bars: who, As: matrix{}, Doc: "The accuracy of every method on every class (of " +
				"several seeds, their mean), sorted by the baseline's accuracy. Beside it stands " +
				"the change against the baseline, whose sign and size give the tint. The best " +
				"figure of a row is marked. Where there is room, the last rows have worst % " +
				"and mean % as in the table of runs. Over several epochs worst % is the mean " +
				"of each epoch's worst class, which changes, so it is at most the lowest " +
				"figure of a class. A narrow panel shows the marks of all runs instead."},
			{Name: "marks", Bars: who, As: allRuns{}, Doc: "One line per class, with the mark of " +
				"every run at its accuracy (of several seeds, at their mean), sorted by the " +
				"baseline's accuracy. The number belongs to the run under the cursor, whose mark " +
				"is on top."},
			{Name: "one run", Bars: who},
			{Name: "test loss", Bars: "class_loss"}}},
		{Title: "Dual variables", Views: []View{
			curves("λ and η", "lambda", "eta"),
			curves("λ", "lambda"),
			curves("η", "eta"),
			{Name: "phase portrait", Phase: true,
				Doc: "Phase portrait: the path of (λ, η) of every run over the steps, from " +
					cell.Origin + " to the run's mark, older parts faint, in the box that both " +
					"stay in. " + cell.Optimum + " is (λ*, η*), the best for the network of " +
					"the last evaluation."},
			{Name: "likelihood ratios", Bars: "ratio_histogram", As: histogram{}, Plain: true,
				Doc: "How many training samples get which likelihood ratio from the " +
					"adversary, for the run under the cursor. Samples at the left hardly " +
					"count; 1 is no reweighting."}}},
		{Title: "Where the adversary looks, by class", Views: []View{
			{Bars: who, Beside: look, As: film{}, Doc: "Two maps of the run under the cursor, " +
				"with one row per class and x across: its accuracy, and its weight under the " +
				"adversary. The adversary looks where the right map is bright; the left one " +
				"shows the effect."},
			{Name: "weight", Bars: look},
			{Name: "weight of all runs", Bars: look, As: allRuns{},
				Doc: "One line per class, with the mark of every run at the adversary's ratio."}}},
		{Title: "Gap", Views: []View{
			curves("dual gap and γ", "dual_gap", "gamma"),
			curves("dual gap", "dual_gap"),
			curves("Frank-Wolfe gap", "gap"),
			curves("γ", "gamma")}},
		{Title: "Test accuracy", Views: []View{
			curves("worst class and mean", "worst_class_accuracy", "test_accuracy"),
			curves("worst class", "worst_class_accuracy"),
			curves("mean", "test_accuracy"),
			curves("worst class and robust risk", "worst_class_accuracy", "robust_risk")}},
		{Title: "The adversary's eye", Views: []View{
			{As: heaviest{}, Doc: "The training samples that the adversary weighs most, at most " +
				"24, for the run under the cursor at its last evaluation. The ratio is dQ/dP, " +
				"for the exact worst case Q over the whole training split at the run's " +
				"radius; 1 is no reweighting. The larger the ratio, the brighter the frame. A " +
				"sample's number is its place in the training split, from 0. P opens all " +
				"samples on page Samples."}}},
		{Title: "Settings", Views: []View{{As: settings{}, Plain: true,
			Doc: "The settings that the run under the cursor reads, as it trains now. Marked " +
				"settings, in which the watched runs differ, come first. Settings that are " +
				"not at their default follow."}}},
		{Title: "Machine", Views: []View{{As: machineFigures{}, Plain: true,
			Doc: "What the machine does during the run under the cursor, with the last ten " +
				"minutes of each figure on a scale from 0 to the most that there can be. A GPU " +
				"has its use (in which part of the time it computes), memory, power and " +
				"temperature. The run has the memory and the cores of its processes, how many " +
				"of its workers use at least half a core, and its memory on GPUs. The disk is " +
				"that of the runs. A marked line says what the run " +
				"waits for, if that is known."}}},
	}
}
