package look

import (
	"context"
	"fmt"
	"strings"
	"time"

	"drolab/runner/foreign"
	"drolab/runner/page"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"
)

// plan prints what would become of logs.
func (f *importFlags) plan(
	ctx context.Context, con *console.Console, found []foreign.Found, o *foreign.Options,
) error {
	plans, seeds := []*foreign.Plan{}, &foreign.Seeds{}
	for i := range found {
		p, err := found[i].Plan(ctx, o, seeds)
		if err != nil {
			return err
		}
		plans = append(plans, p)
	}
	return con.Result(map[string]any{"logs": plans}, func() {
		for i, p := range plans {
			if i > 0 {
				con.PrintLine("")
			}
			printImportPlan(con, p)
		}
	})
}

// printImportPlan prints what would become of one log.
func printImportPlan(con *console.Console, p *foreign.Plan) {
	took := ""
	if p.Seconds.Applies() {
		took = ", " + kit.Duration(time.Duration(p.Seconds.Float()*float64(time.Second)))
	}
	con.PrintLine("%s: %s, %s, seed %d, %d steps%s", cell.OneLine(p.Path), p.Kind,
		cell.OneLine(p.Method), p.Seed, p.Steps, took)
	con.PrintLine("")
	rows := [][2]string{}
	for _, n := range p.Names {
		becomes := n.Becomes
		switch {
		case becomes == "":
			becomes = "left out"
		case n.Logged:
			becomes += " (logged)"
		}
		rows = append(rows, [2]string{fmt.Sprintf("%s (%s, last %s)", n.Name,
			page.N(int(n.Numbers)), n.Last), becomes})
	}
	for _, s := range p.Settings {
		becomes := "note"
		if s.Becomes != "" {
			becomes = "setting " + s.Becomes
		}
		rows = append(rows, [2]string{s.Key + " = " + s.Value, becomes})
	}
	width := 0
	for i := range rows {
		rows[i][0] = cell.OneLine(rows[i][0])
		width = max(width, cell.Width(rows[i][0]))
	}
	width = min(width, widestName)
	for _, row := range rows {
		gap := max(1, width-cell.Width(row[0])+2)
		con.PrintLine("%s%s%s", row[0], strings.Repeat(" ", gap), row[1])
	}
	for _, note := range p.Notes {
		con.PrintLine("note: %s", cell.OneLine(note))
	}
}

// widestName is the number of cells up to which names are aligned.
const widestName = 70
