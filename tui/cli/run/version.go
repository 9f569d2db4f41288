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
			pictures := "not on a terminal"
			if tr.OnTerminal() {
				pictures = tui.Pictures(tr.Environ, tr.Stdin.(*os.File), tr.Env.Stdout.(*os.File))
			}
			_, err := fmt.Fprintf(tr.Stdout, "drolab %s\n%s, %s, %s, kernel %s, %s\npictures: %s\n",
				h.Version, h.Go, h.System, h.CPU, h.Kernel, kit.Plural(tr.Threads, "thread"),
				pictures)
			return err
		},
	}
}
