package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	cells "drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/plot"

	"github.com/spf13/cobra"
)

// PageWriter lays out a page in lines of a given width.
type PageWriter struct {
	io.Writer
	Width int        // of a line, in cells
	ASCII bool       // draws lines and charts in ASCII alone
	Theme *kit.Theme // paints the cells that have a tone; nil paints nothing
}

// Page prints a page.
func (w *PageWriter) Page(p *page.Page) {
	fmt.Fprintf(w, "%s\n", Clean(p.Title))
	for _, block := range p.Blocks {
		fmt.Fprintln(w)
		w.block(block)
	}
}

func (w *PageWriter) block(block page.Block) {
	switch block := block.(type) {
	case page.Heading:
		title, rule := OneLine(string(block)), map[bool]string{true: "-", false: "─"}[w.ASCII]
		fmt.Fprintf(w, "%s\n%s\n", title, strings.Repeat(rule, cells.Width(title)))
	case page.Text:
		w.wrapped("", string(block))
	case page.List:
		for _, line := range block {
			w.wrapped("- ", line)
		}
	case *page.Table:
		w.table(block)
	case *page.Figure:
		w.figure(block)
	}
}

// Blocks prints blocks in lines of w's width, or of any length if w has none. Of a wide table it
// prints as many columns at a time as fit.
func Blocks(w io.Writer, blocks ...page.Block) {
	width := math.MaxInt32
	if to, ok := w.(*cells.Writer); ok && to.Width > 0 {
		width = to.Width
	}
	for _, b := range blocks {
		(&PageWriter{Writer: w, Width: width}).block(b)
	}
}

// wrapped prints a paragraph with a mark before its first line. The other lines begin below its
// text.
func (w *PageWriter) wrapped(mark, text string) {
	for _, line := range kit.Wrap(OneLine(text), w.Width-len(mark)) {
		fmt.Fprintln(w, mark+line)
		mark = kit.Blanks(len(mark))
	}
}

// table prints as many columns at a time as fit, and the first column each time.
func (w *PageWriter) table(t *page.Table) {
	const gap = 2
	t = aligned(w.brief(t))
	theme := kit.NewTheme(0, true, false)
	if w.Theme != nil {
		*theme = *w.Theme
		theme.ASCII = false // texts stay as they are
	}
	for i, part := range theme.Grid(t, math.MaxInt, gap).Parts(w.Width) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		for _, row := range append([][]string{t.Heads()}, t.Rows...) {
			for _, line := range part.Lines(row) {
				fmt.Fprintln(w, line)
			}
		}
	}
	if t.Foot != "" {
		w.wrapped("", t.Foot)
	}
}

// brief returns a table for a reader: of many ranked rows it has the first, by their ranks. Such
// tables have no other Foot on a screen.
func (w *PageWriter) brief(t *page.Table) *page.Table {
	const most = 20
	if to, ok := w.Writer.(*cells.Writer); len(t.Ranks) <= most || ok && to.All {
		return t
	}
	order := slices.SortedFunc(maps.Keys(t.Ranks), func(i, j int) int {
		return cmp.Or(cmp.Compare(t.Ranks[j], t.Ranks[i]), i-j)
	})
	short := *t
	short.Rows = slices.Clone(t.Rows)
	for k, at := range slices.Sorted(maps.Keys(t.Ranks)) {
		if short.Rows[at] = nil; k < most {
			short.Rows[at] = t.Rows[order[k]]
		}
	}
	short.Rows = slices.DeleteFunc(short.Rows, func(row []string) bool { return row == nil })
	short.Foot = fmt.Sprintf("and %d more rows: --all prints them", len(order)-most)
	return &short
}

// aligned returns the table with each cell in one line. In a column with stars, numbers without a
// star get a trailing blank, so that the digits are aligned.
func aligned(t *page.Table) *page.Table {
	out := *t
	out.Columns, out.Rows = slices.Clone(t.Columns), nil
	starred := make([]bool, len(t.Columns))
	for i := range out.Columns {
		out.Columns[i].Head = OneLine(t.Columns[i].Head)
	}
	for _, row := range t.Rows {
		line := make([]string, len(t.Columns))
		for i := range min(len(row), len(line)) {
			line[i] = OneLine(row[i])
			starred[i] = starred[i] || !t.Columns[i].Words && strings.HasSuffix(line[i], "*")
		}
		out.Add(line...)
	}
	for _, row := range out.Rows {
		for i, c := range row {
			if starred[i] && !strings.HasSuffix(c, "*") {
				row[i] += " "
			}
		}
	}
	return &out
}

// figureHeight is the height of a chart in lines.
const figureHeight = 14

// figure draws curves as lines, each with its own mark, because there may be no colours.
func (w *PageWriter) figure(f *page.Figure) {
	t := kit.NewTheme(0, true, w.ASCII)
	c := &plot.Chart{Charset: t.Charset(false), X: plot.Range{Lo: 0, Hi: 1}}
	names := []string{}
	// Of a band's two series, each value lies one standard error from their mean.
	toEnds := func(int) float64 { return 1 }
	for i, curve := range f.Curves {
		mean, ends := new(plot.Series), []*plot.Series{new(plot.Series), new(plot.Series)}
		for _, p := range curve.Points {
			mean.Append(p.X, p.Y)
			ends[0].Append(p.X, p.Y-p.Half)
			ends[1].Append(p.X, p.Y+p.Half)
			c.X.Hi = max(c.X.Hi, p.X)
		}
		number := uint8(f.Series(i))
		c.Lines = append(c.Lines, plot.Line{Seeds: ends, HalfWidth: toEnds, Number: number},
			plot.Line{Seeds: []*plot.Series{mean}, Number: number, Glyph: t.Glyph(number)})
		names = append(names, fmt.Sprintf("%c %s", t.Glyph(number), Clean(curve.Name)))
	}
	c.Y = c.FitY()
	var frame plot.Frame
	c.DrawTo(&frame, w.Width, figureHeight)
	w.wrapped("", f.Caption)
	w.wrapped("", strings.Join(names, "   "))
	for y := range frame.H {
		var line strings.Builder
		for _, cell := range frame.Row(y) {
			if cell.Rune != 0 {
				line.WriteRune(cell.Rune)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

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
func Figure(m *measure.Measure, n measure.Number) string {
	return page.SentenceStyle(m.Scale).Text(n)
}

// JSON prints v as JSON, and escapes characters that could steer a terminal.
func (c *Console) JSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	c.SetFolding(false)
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
	switch {
	case f.csv:
		return exact.CSV(c.Stdout)
	case f.latex:
		return c.WriteDocument(page.LaTeX(document...))
	case f.markdown:
		return c.WriteDocument(page.Markdown(document...))
	}
	return c.Result(data, show)
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
		line += ": " + strings.TrimPrefix(s.Cause, fmt.Sprintf("step %d: ", s.Steps))
	}
	if r.Status() != runner.Done && r.Status().Ended() {
		line += " (continue with " + r.Meta.HowToContinue() + ")"
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
