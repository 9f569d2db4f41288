package console

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"
)

// The messages of cobra give the number of arguments; the messages of these checks say what is
// missing.

// One returns a check for exactly one argument.
func One(what, example string) cobra.PositionalArgs {
	return Count(1, 1, "give "+what+", and only one: "+example)
}

// OneOrMore returns a check for at least one argument.
func OneOrMore(what, example string) cobra.PositionalArgs {
	return Count(1, math.MaxInt, "give "+what+": "+example)
}

// OneAtMost returns a check for at most one argument.
func OneAtMost(what, example string) cobra.PositionalArgs {
	return Count(0, 1, "give at most one "+what+": "+example)
}

// Count returns a check for least to most arguments, which otherwise fails with the message.
func Count(least, most int, message string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return errors.New(message)
		}
		return nil
	}
}

// None is a check for no arguments.
func None(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%q: %s takes no arguments: see %s --help", args[0],
		c.Name(), c.CommandPath())
}

// foreignCommands maps command names of other programs to the commands of this one.
var foreignCommands = map[string]string{
	"train": "run", "fit": "run", "start": "run", "launch": "run", "test": "eval",
	"evaluate": "eval", "predict": "eval", "list": "runs", "ls": "runs", "ps": "runs",
	"history": "runs", "status": "show", "info": "show", "rm": "delete", "remove": "delete",
	"kill": "stop", "cancel": "stop", "continue": "resume", "download": "data",
	"dataset": "data", "datasets": "data", "diff": "compare", "check": "doctor",
	"benchmark": "bench", "tag": "label", "save": "checkpoint", "watch": "attach",
	"view": "attach", "open": "attach", "fork": "run --from RUN@STEP",
	"pin":           "checkpoint RUN --pin",
	"branch":        "run --from RUN@STEP",
	"data download": "data fetch", "data get": "data fetch", "data info": "data show",
}

// NoCommand reports the first argument as an unknown command, with a suggestion if there is one.
func NoCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	path := strings.TrimSpace(strings.TrimPrefix(c.CommandPath(), c.Root().Name()) + " ")
	full := strings.TrimSpace(path + " " + args[0])
	near := foreignCommands[full]
	c.SuggestionsMinimumDistance = 2
	if list := c.SuggestionsFor(args[0]); near == "" && len(list) > 0 {
		near = strings.TrimSpace(path + " " + list[0])
	}
	if near == "" {
		return fmt.Errorf("unknown command %q: see %s --help", args[0], c.CommandPath())
	}
	return fmt.Errorf("unknown command %q: did you mean %s?", full, near)
}
