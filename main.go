// Drolab is a terminal lab for distributionally robust training. See
// `drolab --help`, and tui/cli for the commands.
package main

import (
	"context"
	"os"

	"drolab/tui/process"
)

func main() {
	os.Exit(process.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
