package data

import (
	"context"
	"fmt"
	"time"

	"drolab/runner/data"
	cells "drolab/tui/cell"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

// Commands returns the commands for what runs are made of: datasets, predictions and presets.
func Commands(con *console.Console) []*cobra.Command {
	return []*cobra.Command{dataCommand(con), importCommand(con), presetsCommand(con)}
}

func dataCommand(con *console.Console) *cobra.Command {
	c := &cobra.Command{
		Use: "data", Short: "List, describe or download datasets",
		Args: console.NoCommand, RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(dataListCommand(con), dataShowCommand(con), dataFetchCommand(con))
	return c
}

func dataListCommand(con *console.Console) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the datasets and where they are", Args: console.None,
		RunE: func(*cobra.Command, []string) error {
			for _, e := range data.List(con.DataDir) {
				where := " (built in)"
				switch {
				case e.Scheme:
					where = ""
				case e.Download > 0 && e.Available:
					where = fmt.Sprintf(" (in %s)", console.Clean(e.Path))
				case e.Download > 0:
					where = fmt.Sprintf(" (not on this machine; drolab data fetch %s "+
						"downloads %s)", e.Name,
						megabytes(e.Download))
				}
				fmt.Fprintf(con.Stdout, "%-16s %s%s\n", e.Name, e.Purpose, where)
			}
			return nil
		},
	}
}

func dataFetchCommand(con *console.Console) *cobra.Command {
	var url string
	c := &cobra.Command{
		Use: "fetch NAME", Short: "Download a dataset into the data folder",
		Long: `Download a dataset that "drolab data list" reports as missing. Size and checksum are verified
before the file gets its name. An interrupted download continues where it stopped.`,
		Args:              console.One("a dataset", "drolab data fetch cifar10"),
		ValidArgsFunction: completeDatasets(con),
		RunE: func(c *cobra.Command, args []string) error {
			return fetch(c.Context(), con, args[0], url)
		},
	}
	c.Flags().StringVar(&url, "url", "",
		"address to use instead of the official one and its mirrors")
	return c
}

func fetch(ctx context.Context, con *console.Console, name, url string) error {
	ctx, cancel := con.Orderly(ctx, console.Outlive)
	defer cancel()
	m := &meter{out: con.Stderr, name: console.Clean(name), ascii: con.ASCII}
	m.width, _, m.screen = con.SizeErr()
	err := data.Fetch(ctx, name, con.DataDir, data.FetchOptions{URL: url, Progress: m.show})
	m.end()
	if err != nil {
		return err
	}
	e, err := data.Info(name, con.DataDir)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(con.Stdout, "%s is in %s\n", name, console.Clean(e.Path))
	return err
}

// meter shows the progress of a download: on a terminal a line that is redrawn, elsewhere a line
// for every tenth of the total.
type meter struct {
	out           *cells.Writer
	name          string
	screen, ascii bool
	width         int
	next          time.Time // when to draw again
	tenth         int64
	drawn         bool
}

func (m *meter) show(done, total int64) {
	if total <= 0 {
		return
	}
	if !m.screen {
		if tenth := 10 * done / total; tenth > m.tenth {
			m.tenth = tenth
			fmt.Fprintf(m.out, "%s: %s of %s\n", m.name, megabytes(done), megabytes(total))
		}
		return
	}
	if now := time.Now(); done >= total || now.After(m.next) {
		m.next, m.drawn = now.Add(console.DrawEvery), true
		m.out.Over(0, m.line(done, total))
	}
}

func (m *meter) line(done, total int64) string {
	text := fmt.Sprintf("  %s of %s", megabytes(done), megabytes(total))
	room := min(console.BarMost, m.width-len(m.name)-len(text)-3)
	if room < console.BarLeast {
		return m.name + text
	}
	return m.name + "  " + console.Bar(done, total, room, m.ascii) + text
}

func (m *meter) end() {
	if m.drawn {
		fmt.Fprintln(m.out)
	}
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func completeDatasets(con *console.Console) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, console.Directive) {
		var words []string
		for _, e := range data.List(con.DataDir) {
			if e.Download > 0 {
				words = append(words, e.Name+"\t"+e.Purpose)
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}
