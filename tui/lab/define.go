package lab

import (
	"strings"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/lists"
	"drolab/runner/measure"
	"drolab/tui/kit"
)

// Mark returns the mark behind the name of a run whose method uses something that an uncertainty
// set does not know, as on the Compare page: " (g)".
func Mark(m *runner.Meta) string { return compare.Mark(compare.Uses(m)) }

// Explain returns the meaning of the mark of a run: "(g) uses groups, which an uncertainty set does
// not know"; "" without a mark.
func Explain(m *runner.Meta) string { return compare.Explain(compare.Uses(m)) }

// MarkLegend explains the marks.
const MarkLegend = "After a method's name, (g) means that it uses groups, (c) classes in " +
	"their place, and (l) labels; an uncertainty set knows none of these."

// plainSentence returns one sentence that explains a column, a measure or a setting to a newcomer;
// "" if nobody has written one. The exact definition is the measure's own.
func plainSentence(name string) string {
	return map[string]string{
		"rho": "ρ: how far the adversary may reweight the data; 0 is ERM.",
		"worst_class_accuracy": "Worst % (class): the share of test samples classified correctly " +
			"in the class where that share is lowest. Over several epochs it is the mean of each " +
			"epoch's worst class, which is at most the lowest mean of a class.",
		"worst_group_accuracy": "Worst % (group): the share of test samples classified correctly " +
			"in the group where that share is lowest. Over several epochs it is the mean of each " +
			"epoch's worst group, which is at most the lowest mean of a group.",
		"test_accuracy": "Mean %: the share of all test samples classified correctly.",
		"robust_risk": "Robust risk: the loss on the test data once the adversary has reweighted " +
			"them; lower is better.",
		"test_loss":  "Test loss: the mean loss on the test data; lower is better.",
		"train_loss": "Train loss: the mean loss on all training data; lower is better.",
		"loss":       "Batch loss: the loss of the last logged batch.",
		"lambda":     "λ: the price of reweighting; a small λ lets the adversary reweight more.",
		"eta": "η: the loss level above which the adversary gives samples more weight. A run in " +
			"the paper's coordinates, as with χ², shows that level less λ/(k−1), which can be " +
			"negative; for χ² the level is η + λ.",
		"dual_gap": "Dual gap: how far λ and η are from the best ones; 0 is the best.",
		"gap":      "Frank-Wolfe gap: how much one more step of λ and η could gain.",
		"gamma":    "γ: how far the last step of λ and η went, 0 to 1.",
		"full_grad_norm": "Full gradient norm: how steep the objective still is; 0 is a " +
			"stationary point.",
		"images_per_second": "Samples/s: training samples per second of steps. Samples/s now is " +
			"of the latest steps, and mean samples/s of the whole run.",
		"class_accuracy":  "Accuracy by class: the share of its samples classified correctly.",
		"class_weight":    "Weight by class: how much the adversary weighs it; 1 is its share.",
		"class_loss":      "Loss by class: the mean loss on the class's samples.",
		"robust_risk_at":  "Robust risk by radius: the same risk for other values of ρ.",
		"ratio_histogram": "Likelihood ratios: how many samples get which weight.",
		// Columns that are no measures.
		"run": "Run: the method, and the settings that set the run apart.",
		"vs":  "vs: the difference to the baseline run, of the same evaluations.",
		"done": "Done: the share of the planned steps that is finished; of a log that " +
			"plans none, its step.",
		"ETA":    "ETA: the time left at the mean speed so far; once done, the time it took.",
		"epoch":  "Epoch: passes over the training data, done and planned.",
		"epochs": "Epochs: passes over the training data, done and planned.",
		"preset": "Preset: the experiment that the run belongs to.",
		"method": "Method: the algorithm, and the settings that set it apart within its preset.",
		"seed": "Seed: the start of the run's random numbers; n=4 is the mean of four seeds. " +
			"1 ×2 is two runs of seed 1: of equal ones the newest counts, of others the mean.",
		"state": "State: queued, running or paused, or how the run ended. 2/3 running says it of " +
			"two of the three runs of a line; those that go on come first. running? is what was " +
			"known last of a run on a box without a link.",
		"set, ρ": "Set, ρ: the uncertainty set, and how far the adversary may reweight (ρ; 0 " +
			"is ERM).",
		CurveHead: "0–100: the accuracy of the worst class or group until these epochs, from 0 " +
			"to 100 %.",
		TrendHead: "Worst 0–100: the accuracy of the worst class or group over the evaluations, " +
			"0 to 100 %.",
	}[name]
}

// TrendHead is the heading of the column of trends, CurveHead that of a curve beside the figure.
const (
	TrendHead = "worst 0–100"
	CurveHead = "0–100"
)

// Define returns the definitions of columns: a plain sentence and, for a measure, the exact
// definition.
func Define(names []string) (texts []string) {
	for _, name := range names {
		plain, exact := plainSentence(name), ""
		if m, ok := measure.FindMeasure(name); ok {
			exact = m.Definition()
		}
		if plain != "" && exact != "" {
			_, exact, _ = strings.Cut(exact, ": ") // the name has been said
			if strings.Contains(plain, strings.TrimSuffix(exact, ".")) {
				exact = "" // so has all of it
			} else {
				exact = "Exactly: " + exact
			}
		}
		if text := strings.TrimSpace(plain + " " + exact); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// Defined returns an overlay with texts such as those of Define, each once, in lines of readable
// width.
func (l *Lab) Defined(title string, texts []string) *kit.Overlay {
	const readable = 76
	texts = lists.DistinctBy(texts, func(text string) string { return text })
	lines := kit.Wrap(l.Theme.Greek(strings.Join(texts, "\n\n")), min(readable, l.Body.W-6))
	return &kit.Overlay{Title: l.Theme.Greek(title), Lines: lines}
}
