package machine

import (
	"fmt"

	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

// Commands are those of the machine.
func Commands(con *console.Console) []*cobra.Command {
	return []*cobra.Command{benchCommand(con), versionCommand(con)}
}

func versionCommand(con *console.Console) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version, the machine and the kernels in use",
		Args: console.None,
		RunE: func(*cobra.Command, []string) error {
			h := Host()
			_, err := fmt.Fprintf(con.Stdout, "drolab %s\n%s, %s, %s, kernel %s, %s\n",
				h.Version, h.Go, h.System, h.CPU, h.Kernel, kit.Plural(con.Threads, "thread"))
			return err
		},
	}
}
