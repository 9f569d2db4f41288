package run

import (
	"fmt"
	"os"

	"drolab/tui"
	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func versionCommand(tr *Trainer) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the machine, the kernels and how pictures are drawn",
		Args:  console.None,
		RunE: func(*cobra.Command, []string) error {
			h := console.Host()
			_, err := fmt.Fprintf(tr.Stdout, "drolab %s\n%s, %s, %s, kernel %s, %s\npictures: %s\n",
				h.Version, h.Go, h.System, h.CPU, h.Kernel, kit.Plural(tr.Threads, "thread"),
				pictures(tr))
			return err
		},
	}
}

// pictures says how pictures are drawn, which it asks the terminal.
func pictures(tr *Trainer) string {
	if !tr.OnTerminal() {
		return "not on a terminal"
	}
	return tui.Pictures(tr.Environ, tr.Stdin.(*os.File), tr.Env.Stdout.(*os.File))
}
