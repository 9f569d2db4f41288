package samples

import (
	"fmt"
	"slices"
	"strings"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/lists"
	"drolab/tui/cell"

	tea "charm.land/bubbletea/v2"
)

const crossEntropy = "cross-entropy of the label, -log p(label)."

// lossText defines the loss of a sample.
func (p *Page) lossText() string {
	switch m := &p.run.Meta; {
	case m.Imported != nil && slices.Contains(m.Imported.Columns, data.RawLoss):
		return "as the imported file has it."
	case m.Spec.Loss == nn.Squared:
		return "half the squared distance of the outputs from the label's unit vector."
	case m.Spec.Loss == nn.ErrorProbability:
		return "1 - p(label)."
	}
	return crossEntropy
}

// definitions returns the definitions of what is shown, a paragraph each.
func (p *Page) definitions() []string {
	pick, m := p.pick, &p.run.Meta
	which := map[string]string{runner.SplitTest: "test", runner.SplitVal: "validation",
		runner.SplitTrain: "training"}[p.split]
	text := []string{
		fmt.Sprintf("The network of %s at step %d of %d on its %s split of %s, %d samples, "+
			"unaugmented and in evaluation mode.", p.run.Meta.ID, pick.Step, m.Steps, which,
			pick.Dataset, pick.Size),
		"loss: " + p.lossText(),
		"ratio: the likelihood ratio dQ/dP that the exact worst case Q over this split gives the " +
			"sample; 1 is no reweighting, 0 is ignored. The uncertainty set is " +
			p.uncertainty() + ". The ratio never falls as the loss grows, so the order, " +
			"heaviest first, is the same for both and for every radius."}
	if pick.Set.HasRadius() {
		list := lists.Map(pick.Radii, func(rho float64) string { return fmt.Sprintf("%g", rho) })
		text = append(text, "Radii, + and -: the run's ρ "+fmt.Sprintf("%g", m.Spec.Rho)+
			" and its risk_radii: "+strings.Join(list, ", ")+".")
	}
	text = append(text,
		fmt.Sprintf("risk: the expected loss under Q, which is the run's robust risk on this "+
			"split. loss, accuracy: means over the split. worst: the lowest accuracy of a "+
			"group, else of a class, with at least min_group = %d samples.", m.Spec.MinGroup),
		"row: the sample's place in its files, from 0, as in drolab eval --out, which writes "+
			"all samples. Every filter keeps the heaviest samples: 200 of all and of the "+
			"wrong predictions, and fewer for each class or group if there are many.")
	if len(pick.Encoder.Columns) > 0 {
		text = append(text, "Columns are recovered from the features: numbers to the "+
			"precision of float32, – for a missing or unknown category.")
	}
	note := func(text string) string { return "note: " + cell.OneLine(text) }
	return append(text, lists.Map(pick.Notes, note)...)
}

func (p *Page) define() tea.Cmd { return p.Show(p.Defined("Samples", p.definitions())) }
