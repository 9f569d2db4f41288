package cli

import (
	"fmt"

	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version, the machine and the kernels in use", Args: nothing,
		RunE: func(*cobra.Command, []string) error {
			h := host()
			_, err := fmt.Fprintf(a.Stdout, "drolab %s\n%s, %s, %s, kernel %s, %s\n",
				h.Version, h.Go, h.System, h.CPU, h.Kernel, kit.Plural(a.threads, "thread"))
			return err
		},
	}
}
