package sweep

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner"
)

// Cells are the table as text: the first row has the titles.
func (t *Table) Cells() [][]string {
	rows := [][]string{{"method", "setting", "validation"}}
	for _, r := range t.Rows {
		row := []string{string(r.Algorithm), strings.TrimSpace(r.Label), "–"}
		if r.IDs == nil {
			row[1] = "none is done"
		} else {
			row[2] = r.Validation.text()
		}
		for i := range t.titles() {
			text := "–"
			if i < len(r.Test) {
				text = r.Test[i].text()
			}
			row = append(row, text)
		}
		rows = append(rows, append(row, r.costs()...))
	}
	rows[0] = append(append(rows[0], t.titles()...), "settings", "runs", "epochs", "training", "of it chosen")
	return rows
}

func (t *Table) titles() (titles []string) {
	for _, r := range t.Rows {
		if r.Test == nil {
			continue
		}
		for _, c := range r.Test {
			titles = append(titles, c.Title)
		}
		return titles
	}
	return nil
}

func (r *Row) costs() []string {
	return []string{fmt.Sprint(r.Settings), fmt.Sprint(r.Cost.Runs), fmt.Sprintf("%.4g", r.Cost.Epochs),
		clock(r.Cost.Seconds), clock(r.Own.Seconds)}
}

func clock(seconds runner.Number) string {
	if !seconds.Applies() {
		return "–"
	}
	return time.Duration(seconds.Float() * float64(time.Second)).Round(time.Second / 10).String()
}

func (c *Cell) text() string {
	mean, half, scale := "%.4g", " ± %.2g", 1.0
	if c.scale == dro.Percent {
		mean, half, scale = "%.1f", " ± %.1f", 100
	}
	if !c.Mean.Applies() {
		return "–"
	}
	text := fmt.Sprintf(mean, scale*c.Mean.Float())
	if c.Half.Applies() {
		text += fmt.Sprintf(half, scale*c.Half.Float())
	}
	return text
}

// CSV writes the table with a column for each mean and each half width.
func (t *Table) CSV(w io.Writer) error {
	lines := [][]string{{"method", "setting", "seeds", "settings", "runs", "epochs", "seconds"}}
	for _, r := range t.Rows {
		line := []string{string(r.Algorithm), strings.TrimSpace(r.Label), fmt.Sprint(len(r.IDs)),
			fmt.Sprint(r.Settings), fmt.Sprint(r.Cost.Runs), fmt.Sprintf("%g", r.Cost.Epochs),
			plainNumber(r.Cost.Seconds)}
		titled := len(lines[0]) > len(line)
		for _, c := range append([]Cell{r.Validation}, r.Test...) {
			if r.IDs == nil {
				break // none of its settings is done
			}
			if !titled {
				lines[0] = append(lines[0], c.Name, c.Name+"_half")
			}
			line = append(line, plainNumber(c.Mean), plainNumber(c.Half))
		}
		lines = append(lines, line)
	}
	for i, line := range lines { // a record has as many fields as the first
		lines[i] = append(line, make([]string, len(lines[0])-len(line))...)
	}
	return csv.NewWriter(w).WriteAll(lines)
}

func plainNumber(n runner.Number) string {
	if !n.Applies() {
		return ""
	}
	return fmt.Sprintf("%g", n.Float())
}

// Markdown writes the table, with its notes below.
func (t *Table) Markdown(w io.Writer) error {
	rows := t.Cells()
	var b strings.Builder
	line := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
		}
		b.WriteString("|\n")
	}
	line(rows[0])
	b.WriteString("|---|---|" + strings.Repeat("---:|", len(rows[0])-2) + "\n")
	for _, r := range rows[1:] {
		line(r)
	}
	b.WriteString("\n" + strings.Join(t.Notes, "\n\n") + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// latex escapes what has a meaning in LaTeX, and sets signs in its mathematics.
var latex = strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`,
	"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, " ± ", ` $\pm$ `, "–", "--",
	"ρ", `$\rho$`, "χ²", `$\chi^2$`, "λ", `$\lambda$`, "η", `$\eta$`)

// LaTeX writes the table for the package booktabs.
func (t *Table) LaTeX(w io.Writer) error {
	rows := t.Cells()
	var b strings.Builder
	fmt.Fprintf(&b, "\\begin{tabular}{ll%s}\n\\toprule\n", strings.Repeat("r", len(rows[0])-2))
	for i, r := range rows {
		for c := range r {
			r[c] = latex.Replace(r[c])
		}
		b.WriteString(strings.Join(r, " & ") + ` \\` + "\n")
		if i == 0 {
			b.WriteString("\\midrule\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	for _, n := range t.Notes {
		b.WriteString("% " + n + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
