package look

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/lab"

	"github.com/spf13/cobra"
)

// maxUserColumns is the number of columns that a list of runs has for values of the users' own
// programs; show has all.
const maxUserColumns = 4

// printList prints a line per run, with some more columns.
func printList(con *console.Console, runs []*record.Run, more ...page.Field[*record.Run]) {
	var list page.Fields[*record.Run]
	list.Words("run", func(r *record.Run) string { return cell.Clean(r.Summary().ID) })
	if slices.ContainsFunc(runs, func(r *record.Run) bool { return r.Mirrored() != nil }) {
		list.Words("box", func(r *record.Run) string {
			return cell.Clean(cmp.Or(r.Summary().Box, "here"))
		})
	}
	list.Add("status", func(r *record.Run) string {
		return lab.RunWords(&r.Meta, r.Status(), r.Refitting(), con.KnownAgo(r), true)
	})
	list.Add("epochs", epochs)
	list.Add("set, ρ", func(r *record.Run) string { return cell.Clean(r.Meta.Spec.Radius()) })
	list.Add("worst", func(r *record.Run) string {
		return console.Percent(r.Summary().Named(r.Meta.MeasureFor("worst_class_accuracy")))
	})
	list.Add("mean", func(r *record.Run) string {
		return console.Percent(r.Summary().Named("test_accuracy"))
	})
	list.Add("test loss", func(r *record.Run) string {
		return console.Short(r.Summary().Named("test_loss"))
	})
	own := record.UserMeasures(runs...)
	for _, m := range own[:min(len(own), maxUserColumns)] {
		list.Add(m.Head(), func(r *record.Run) string {
			return console.Figure(&m, r.Summary().Named(m.Name))
		})
	}
	con.Blocks(append(list, more...).Table(runs, nil))
}

// runsFlags holds the flags of `runs`.
type runsFlags struct {
	all, lines          bool
	limit               int
	filter, sort, extra string
}

// defaultLimit is the default number of runs to print: a page or two.
const defaultLimit = 50

func runsCommand(con *console.Console) *cobra.Command {
	var l runsFlags
	c := &cobra.Command{
		Use: "runs", Short: "List the newest runs", Args: console.None,
		Long: `List the 50 newest runs; --all and --json list all. A filter takes the words and terms of the
Runs page, as in algo:sfk rho>=0.5 -failed. --sort and --columns take a setting, a measure or a
fact, such as lr, test_accuracy or tag.`,
		Example: `drolab runs --filter "algo:sfk -failed" --sort=-worst
drolab runs --all --columns lr,tag`,
		RunE: func(c *cobra.Command, _ []string) error {
			if l.limit < 1 {
				return fmt.Errorf("--limit %d: expected at least 1", l.limit)
			}
			l.all = l.all || (con.AsJSON || l.lines) && !c.Flags().Changed("limit")
			return l.run(c.Context(), con)
		},
	}
	f := c.Flags()
	f.BoolVar(&l.all, "all", false, "list all runs")
	f.IntVar(&l.limit, "limit", defaultLimit, "number of runs to list")
	f.StringVar(&l.filter, "filter", "", "list the runs that match a filter")
	f.StringVar(&l.sort, "sort", "", "sort by a setting or a measure, ascending; -NAME sorts "+
		"descending")
	f.StringVar(&l.extra, "columns", "", "further settings and measures to list")
	con.BoxFlag(c)
	con.JSONFlag(c, "the runs")
	f.BoolVar(&l.lines, "jsonl", false, "print JSON, one line per run")
	console.TakeAlone(c, "json", "jsonl", "columns")
	console.TakeAlone(c, "all", "limit")
	return c
}

func (l *runsFlags) run(ctx context.Context, con *console.Console) error {
	wanted, err := compare.ParseFilter(l.filter)
	if err != nil {
		return fmt.Errorf("--filter: %w", err)
	}
	columns, err := columnsOf(l.extra)
	if err != nil {
		return fmt.Errorf("--columns: %w", err)
	}
	runs, problems := con.List(ctx)
	none := len(runs) == 0
	all := slices.Clone(runs)
	runs = slices.DeleteFunc(runs, func(r *record.Run) bool { return !wanted(r) })
	if err := l.order(runs); err != nil {
		return fmt.Errorf("--sort: %w", err)
	}
	shown := runs
	if !l.all {
		shown = runs[:min(l.limit, len(runs))]
	}
	switch {
	case con.AsJSON || l.lines:
		err = printJSON(con.Stdout, shown, l.lines)
	case none && len(problems) > 0: // the problems say why
	case none:
		con.PrintLine("no runs in %s yet: start some with %s", con.RunsDir,
			con.Command("drolab run shapes"))
	case len(runs) == 0:
		names, err := con.BoxNames()
		if err != nil {
			return err
		}
		con.PrintLine("%s. %s lists all", compare.NoMatch(l.filter, all, names),
			con.Command("drolab runs"))
	default:
		printList(con, shown, columns...)
		if n := len(runs) - len(shown); n > 0 {
			con.PrintLine("and %d more: --all lists them, --filter selects", n)
		}
	}
	return cmp.Or(err, console.Failures(problems).OrNil())
}

// order sorts runs by the value of --sort. Runs without a value come last.
func (l *runsFlags) order(runs []*record.Run) error {
	if l.sort == "" {
		return nil
	}
	key, down := strings.CutPrefix(l.sort, "-")
	of, err := compare.FactOf(key)
	if err != nil {
		return err
	}
	page.Sort(runs, down, func(r *record.Run) page.Key { return page.KeyOf(of(r)) })
	return nil
}

// columnsOf returns the columns that --columns asks for.
func columnsOf(keys string) (list page.Fields[*record.Run], err error) {
	apart := func(c rune) bool { return c == ',' || c == ' ' }
	for key := range strings.FieldsFuncSeq(keys, apart) {
		of, err := compare.FactOf(key)
		if err != nil {
			return nil, err
		}
		// λ and η are both; their settings are values at the start.
		_, setting := spec.FindSetting(key)
		if m, ok := measure.FindMeasure(key); ok && !setting {
			of = func(r *record.Run) string { return console.Figure(&m, r.Of(m.Name)) }
		}
		list.Add(cell.Clean(key), func(r *record.Run) string { return cell.OneLine(of(r)) })
	}
	return list, nil
}

// printJSON prints runs as one object, or as one line each. Ten thousand runs are forty megabytes,
// so all cores encode them and few are in memory at a time.
func printJSON(w io.Writer, runs []*record.Run, lines bool) error {
	begin, between, end := "{\n  \"runs\": [", ",", "\n  ]\n}\n"
	switch {
	case lines:
		begin, between, end = "", "", ""
	case len(runs) == 0:
		end = begin + "]\n}\n"
	}
	const some = 64
	before := begin
	for part := range slices.Chunk(runs, some) {
		texts, errs := make([][]byte, len(part)), make([]error, len(part))
		var all sync.WaitGroup
		for i, r := range part {
			all.Go(func() { texts[i], errs[i] = summaryJSON(r, lines) })
		}
		all.Wait()
		for i, text := range texts {
			if errs[i] != nil {
				return errs[i]
			}
			if _, err := w.Write(append([]byte(before), text...)); err != nil {
				return err
			}
			before = between
		}
	}
	_, err := io.WriteString(w, end)
	return err
}

// summaryJSON returns the JSON of a run, as part of the object of printJSON or as a line.
func summaryJSON(r *record.Run, line bool) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if !line {
		b.WriteString("\n    ")
		e.SetIndent("    ", "  ")
	}
	if err := e.Encode(console.Summaries([]*record.Run{r}).Runs[0]); err != nil {
		return nil, err
	}
	if !line {
		b.Truncate(b.Len() - 1)
	}
	return cell.EscapeJSON(b.Bytes()), nil
}
