package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	cells "drolab/tui/cell"

	"github.com/spf13/cobra"
)

// Clean removes from text the characters that could steer a terminal, as the interface does.
func Clean(s string) string { return cells.Clean(s) }

// OneLine is Clean, with line breaks turned into "; ".
func OneLine(s string) string { return cells.OneLine(s) }

// Percent formats an accuracy in 0..1.
func Percent(n measure.Number) string { return page.Percent().Text(n) }

// Short formats a measure in four significant digits.
func Short(n measure.Number) string { return page.Digits(4).Text(n) }

// Whole formats a rate without decimals.
func Whole(n measure.Number) string { return page.Fixed(0).Text(n) }

// Figure formats a measure on its own scale.
func Figure(m *measure.Measure, n measure.Number) string { return page.Alone(m.Scale).Text(n) }

// JSON prints v as JSON, and escapes characters that could steer a terminal.
func (c *Console) JSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	c.Fit(false)
	_, err := c.Stdout.Write(cells.EscapeJSON(b.Bytes()))
	return err
}

// Result prints the result of a command: with --json as JSON, else as show does.
func (c *Console) Result(result any, show func()) error {
	if c.AsJSON {
		return c.JSON(result)
	}
	show()
	return nil
}

// Forms says in which form a command prints its table: see TableFlags.
type Forms struct{ csv, latex, markdown bool }

// TableFlags adds the flags of the forms of a table to a command. about is what is said of its CSV.
func (c *Console) TableFlags(of *cobra.Command, about string) *Forms {
	f, flags := new(Forms), of.Flags()
	c.JSONFlag(of, "the table")
	flags.BoolVar(&f.csv, "csv", false, "print CSV"+about)
	flags.BoolVar(&f.latex, "latex", false, "print the table in LaTeX, with booktabs")
	flags.BoolVar(&f.markdown, "md", false, "print the table in Markdown")
	of.MarkFlagsMutuallyExclusive("json", "csv", "latex", "md")
	return f
}

// Table prints a table in the form that was chosen: its exact figures for programs, the document
// for LaTeX and Markdown, or as show does.
func (c *Console) Table(
	f *Forms, data any, exact *page.Table, document []page.Block, show func(),
) error {
	text := ""
	switch {
	case f.csv:
		return exact.CSV(c.Stdout)
	case f.latex:
		text = page.LaTeX(document...)
	case f.markdown:
		text = page.Markdown(document...)
	default:
		return c.Result(data, show)
	}
	_, err := io.WriteString(c.Stdout, text)
	return err
}

// JSONFlag adds the flag --json to a command, which prints its result as JSON.
func (c *Console) JSONFlag(of *cobra.Command, result string) {
	of.Flags().BoolVar(&c.AsJSON, "json", false, strings.TrimSpace("print "+result)+" as JSON")
}

// ExplainFlag adds the flag --explain to a command, which defines its figures as well.
func (c *Console) ExplainFlag(of *cobra.Command) {
	of.Flags().BoolVar(&c.Explain, "explain", false, "define the figures as well")
}

// DrawEvery is the time between two redraws of a line: a person sees five changes a second.
const DrawEvery = 200 * time.Millisecond

// Tally returns the number of runs of each status, in the given order, as text.
func Tally(counts map[runner.Status]int, order ...runner.Status) string {
	var words []string
	for _, s := range order {
		if counts[s] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	return strings.Join(words, ", ")
}

// Progress bars are between BarLeast and BarMost cells wide, or left out.
const (
	BarLeast = 10
	BarMost  = 30
)

// Bar returns a bar of width cells that shows the share done of total.
func Bar(done, total int64, width int, ascii bool) string {
	full, empty := "━", "─"
	if ascii {
		full, empty = "#", "."
	}
	n := int(float64(width) * float64(min(done, total)) / float64(max(1, total)))
	return strings.Repeat(full, n) + strings.Repeat(empty, width-n)
}

// StatusLine returns a line that says how far a run has come, why it ended, and how to continue it.
func StatusLine(r *record.Run) string {
	s := r.Summary()
	line := fmt.Sprintf("%s, step %d of %d", r.Status(), s.Steps, r.Meta.Steps)
	if s.Cause != "" {
		line += ": " + s.Cause
	}
	if r.Status() != runner.Done && r.Status().Ended() {
		line += " (continue with drolab resume " + s.ID + ")"
	}
	return line
}

// summaryList is the object that run, runs, show and resume print with --json.
type summaryList struct {
	Runs []*runner.Summary `json:"runs"`
}

// Summaries returns the runs' summaries with lists where a reader of JSON
// expects lists: [] and not null before the first evaluation.
func Summaries(runs []*record.Run) summaryList {
	list := summaryList{Runs: []*runner.Summary{}}
	for _, r := range runs {
		s := *r.Summary()
		s.ByGroup = slices.Clone(s.ByGroup)
		for i := range s.ByGroup {
			if s.ByGroup[i].Numbers == nil {
				s.ByGroup[i].Numbers = []measure.Number{}
			}
		}
		list.Runs = append(list.Runs, &s)
	}
	return list
}

// Between returns an interval in percent, or "" if it does not apply.
func Between(i measure.Interval) string {
	if !i[0].Applies() || !i[1].Applies() {
		return ""
	}
	return fmt.Sprintf(" [%.1f, %.1f]", 100*i[0].Float(), 100*i[1].Float())
}
