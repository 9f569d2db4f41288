package look

import (
	"fmt"
	"slices"

	"drolab/presets"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

func presetsCommand(con *console.Console) *cobra.Command {
	c := &cobra.Command{
		Use:               "presets [NAME|FILE]",
		Short:             "List the presets, or show one with the reason for every setting",
		Args:              console.OneAtMost("preset", "drolab presets shapes"),
		ValidArgsFunction: console.CompletePresets,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listPresets(con)
			}
			p, err := presets.Load(args[0])
			if err != nil {
				return err
			}
			return con.Result(p, func() { showPreset(con, p) })
		},
	}
	console.ReadsPresets(c)
	con.JSONFlag(c, "")
	return c
}

func listPresets(con *console.Console) error {
	list := presets.List()
	return con.Result(map[string][]presets.Preset{"presets": list}, func() {
		for _, p := range list {
			fmt.Fprintf(con.Stdout, "%-17s %s\n", p.Name, p.Doc)
		}
		fmt.Fprintln(con.Stdout, "\ndrolab presets NAME shows one, drolab run NAME trains it. A "+
			"YAML file of your own works in place of a name.")
	})
}

func showPreset(con *console.Console, p presets.Preset) {
	fmt.Fprintf(con.Stdout,
		"# %s: %s\n# * marks settings of the preset; the others have their defaults.\n",
		cell.Clean(p.Name), cell.Clean(p.Doc))
	for _, t := range spec.AllSettings() {
		if !t.ReadIn(&p.Spec) {
			continue
		}
		mark, reason := " ", ""
		if slices.Contains(p.Overrides, t.Key) {
			mark = "*"
		}
		if why := p.Reasons[t.Key]; why != "" {
			reason = "  # " + cell.Clean(why)
		}
		fmt.Fprintf(con.Stdout, "%s %-16s %s%s\n", mark, t.Key+":", cell.Clean(t.Text(&p.Spec)),
			reason)
	}
}
