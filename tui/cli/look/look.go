package look

import (
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

// Commands returns the commands that only read: runs, worst cases, and what runs are made of.
func Commands(con *console.Console) []*cobra.Command {
	return []*cobra.Command{runsCommand(con), showCommand(con), alertsCommand(con),
		compareCommand(con), reportCommand(con), recordCommand(con), exportCommand(con),
		doctorCommand(con), riskCommand(con), evalCommand(con), featuresCommand(con),
		certifyCommand(con), planCommand(con), theoryCommand(con), dataCommand(con),
		importCommand(con), presetsCommand(con)}
}
