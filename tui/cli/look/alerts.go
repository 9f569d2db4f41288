package look

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"drolab/runner/alert"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func alertsCommand(con *console.Console) *cobra.Command {
	var since time.Duration
	c := &cobra.Command{
		Use: "alerts", Short: "List what happened to runs", Args: console.None,
		Long: `List what happened to the runs of the last day: which are done, what their logs warn of, and
which failed or were interrupted. The newest come first. --notify tells of the same alerts when they
happen.`,
		Example: `drolab alerts --since 1h
drolab alerts --since 8h --json`,
		RunE: func(c *cobra.Command, _ []string) error {
			if since <= 0 {
				return errors.New("--since 0: expected a time above 0, as in 90m, 8h or 2d")
			}
			return listAlerts(c.Context(), con, since)
		},
	}
	c.Flags().DurationVar(&since, "since", 24*time.Hour,
		"how far back to look, as in 90m, 8h or 2d")
	con.BoxFlag(c)
	con.JSONFlag(c, "the alerts")
	return c
}

// alertList is the object that alerts prints with --json.
type alertList struct {
	Alerts []alert.Alert `json:"alerts"`
}

func listAlerts(ctx context.Context, con *console.Console, since time.Duration) error {
	from := time.Now().Add(-since)
	runs, problems := con.List(ctx)
	runs = slices.DeleteFunc(runs, func(r *record.Run) bool { return r.QuietSince(from) })
	runs = con.FetchLogs(ctx, runs)
	alerts := &record.Alerts{Since: from}
	list, unread := alerts.Read(runs)
	damaged, _ := alerts.Read(record.Unread(problems)) // the listing has said what is wrong there
	list = append(list, damaged...)
	alert.NewestFirst(list, time.Now())
	problems = append(problems, unread...)
	err := con.Result(alertList{append([]alert.Alert{}, list...)}, func() {
		switch {
		case len(list) > 0:
			printAlerts(con.Stdout, list)
		case len(problems) == 0: // else nobody knows
			con.PrintLine("no alerts within %s", kit.Duration(since))
		}
	})
	return cmp.Or(err, console.Failures(problems).OrNil())
}

// printAlerts prints a line for each alert, and then what helps.
func printAlerts(w io.Writer, alerts []alert.Alert) {
	var list page.Fields[alert.Alert]
	now := time.Now()
	list.Words("time", func(a alert.Alert) string {
		text := a.Time.Local().Format("2006-01-02 15:04:05")
		if a.IsAhead(now) {
			text += " (ahead of this clock)"
		}
		return text
	})
	list.Words("level", func(a alert.Alert) string { return string(a.Level) })
	list.Words("run", func(a alert.Alert) string { return cell.Clean(a.Run) })
	if slices.ContainsFunc(alerts, func(a alert.Alert) bool { return a.Box != "" }) {
		list.Words("box", func(a alert.Alert) string { return cell.Clean(a.Box) })
	}
	list.Words("alert", func(a alert.Alert) string { return cell.OneLine(a.Text) })
	console.Blocks(w, list.Table(alerts, nil))
	fmt.Fprintln(w)
	for _, k := range alert.Kinds() {
		if slices.ContainsFunc(alerts, func(a alert.Alert) bool { return a.Name == k.Name }) {
			fmt.Fprintf(w, "%s: %s\n", k.Name, k.Remedy)
		}
	}
}
