package look

import (
	"context"
	"fmt"

	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/tui/cell"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

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
			for _, e := range source.List(con.DataDir) {
				where := " (built in)"
				switch {
				case e.Scheme:
					where = ""
				case e.Download > 0 && e.Available:
					where = fmt.Sprintf(" (in %s)", cell.Clean(e.Path))
				case e.Download > 0:
					where = fmt.Sprintf(" (not on this machine; drolab data fetch %s "+
						"downloads %s)", e.Name, megabytes(e.Download))
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
	ctx, cancel := con.SignalContext(ctx, console.Outlive)
	defer cancel()
	m := con.NewMeter(cell.Clean(name), megabytes)
	err := source.Fetch(ctx, name, con.DataDir, data.FetchOptions{URL: url,
		Progress: func(done, total int64) { m.Show(done, total, 0) }})
	m.End()
	if err != nil {
		return err
	}
	e, err := source.Info(name, con.DataDir)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(con.Stdout, "%s is in %s\n", name, cell.Clean(e.Path))
	return err
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func completeDatasets(con *console.Console) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var words []string
		for _, e := range source.List(con.DataDir) {
			if e.Download > 0 {
				words = append(words, e.Name+"\t"+e.Purpose)
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}
