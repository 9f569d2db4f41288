// Drolab is a terminal lab for distributionally robust training. See
// `drolab --help`, and tui/cli for the commands.
package main

import (
	"context"
	"os"

	"drolab/tui/cli"
)

func main() {
	os.Exit(cli.Process(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
