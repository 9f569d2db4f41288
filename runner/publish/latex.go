package publish

import (
	"fmt"
	"io"
	"strings"

	"drolab/dro"
	"drolab/runner"
)

// Escape makes text that LaTeX shows as it is.
func Escape(s string) string {
	return strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "%", `\%`, "&", `\&`, "#", `\#`,
		"$", `\$`, "_", `\_`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "±", `$\pm$`, "×", `$\times$`,
		"χ²", `$\chi^2$`, "ρ", `$\rho$`, "λ", `$\lambda$`, "η", `$\eta$`, "‖", `$\|$`, "∇", `$\nabla$`,
		"ε", `$\varepsilon$`, "μ", `$\mu$`, "–", "--").Replace(s)
}

// Tabular writes a table of text with a head, the first column to the left, the others to the right.
func Tabular(w io.Writer, rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\\begin{tabular}{l%s}\n\\toprule\n", strings.Repeat("r", len(rows[0])-1))
	for i, row := range rows {
		cells := make([]string, len(row))
		for k, c := range row {
			cells[k] = Escape(strings.TrimSpace(c))
		}
		b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
		if i == 0 {
			b.WriteString("\\midrule\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeLaTeX writes the run's figures and, by class or group, counts, accuracies and their intervals.
func writeLaTeX(w io.Writer, r *Run) error {
	m, s := &r.Meta, r.Summary()
	rows := [][]string{{"measure", "value"}}
	for _, row := range runner.SummaryMeasures() {
		if row.Main && !row.IsList() && s.Of(row.Name).Applies() {
			rows = append(rows, []string{row.Title, scaled(&row, s.Of(row.Name))})
		}
	}
	fmt.Fprintf(w, "%% %s, %s on %s; \\usepackage{booktabs}\n", m.ID, m.Spec.Algorithm(), m.Spec.Dataset)
	if err := Tabular(w, rows); err != nil {
		return err
	}
	counts, accuracy := m.Counts(m.Main()), s.ByGroup.Of(m.Fit("class_accuracy"))
	interval := s.ClassInterval
	if m.Main() == runner.PerGroup {
		interval = s.GroupInterval
	}
	rows = [][]string{{m.Part(), "n train", "n test", "accuracy, %", "95 % interval"}}
	for i, name := range m.Names(m.Main()) {
		row := []string{name, itoa(counts.Train[i]), itoa(counts.Test[i]), "", ""}
		if i < len(accuracy) && accuracy[i].Applies() {
			row[3] = fmt.Sprintf("%.1f", 100*accuracy[i].Float())
		}
		if i < len(interval) && interval[i][0].Applies() {
			row[4] = fmt.Sprintf("%.1f–%.1f", 100*interval[i][0].Float(), 100*interval[i][1].Float())
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(w)
	return Tabular(w, rows)
}

func scaled(m *runner.Measure, n runner.Number) string {
	if m.Scale == dro.Percent {
		return fmt.Sprintf("%.1f %%", 100*n.Float())
	}
	return fmt.Sprintf("%.4g", n.Float())
}
