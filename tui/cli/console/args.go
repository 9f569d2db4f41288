package console

import (
	"errors"
	"fmt"
	"math"

	"drolab/presets"
	"drolab/presets/recorded"
	"drolab/runner/record"

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

// Directive tells the shell what it may offer beside the words of a completion.
type Directive = cobra.ShellCompDirective

// CompletePresets offers the presets that come with the program.
func CompletePresets(*cobra.Command, []string, string) ([]string, Directive) {
	var words []string
	for _, p := range presets.List() {
		words = append(words, p.Name+"\t"+p.Doc)
	}
	return words, cobra.ShellCompDirectiveDefault // the user may mean a file
}

// CompleteRuns offers "latest" and the runs of the runs folder whose names start with begun. Their
// statuses follow if the runs are few.
func (c *Console) CompleteRuns(_ *cobra.Command, _ []string, begun string) ([]string, Directive) {
	words := []string{"latest"}
	names := record.Starting(c.RunsDir, begun)
	const many = 50 // reading more statuses would take longer than a user waits for a word
	for _, name := range names {
		if len(names) <= many {
			r, err := record.Find(c.RunsDir, name)
			if err != nil {
				continue
			}
			name += "\t" + string(r.Status())
		}
		words = append(words, name)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// CompleteRead is CompleteRuns for commands that only read. It also offers the runs that come with
// the program.
func (c *Console) CompleteRead(
	of *cobra.Command, args []string, begun string,
) ([]string, Directive) {
	words, _ := c.CompleteRuns(of, args, begun)
	for _, name := range recorded.Names() {
		words = append(words, recorded.Scheme+name+"\tcomes with the program")
	}
	return words, cobra.ShellCompDirectiveDefault // the user may mean a file
}

// MustComplete registers f as the completion of a flag.
func MustComplete(c *cobra.Command, flag string, f cobra.CompletionFunc) {
	if c.RegisterFlagCompletionFunc(flag, f) != nil {
		panic("cli: completion of a flag that does not exist")
	}
}

// elsewhere maps command names of other programs to the commands of this one.
var elsewhere = map[string]string{
	"train": "run", "fit": "run", "start": "run", "launch": "run", "test": "eval",
	"evaluate": "eval", "predict": "eval", "list": "runs", "ls": "runs", "ps": "runs",
	"history": "runs", "status": "show", "info": "show", "rm": "delete", "remove": "delete",
	"kill": "stop", "cancel": "stop", "continue": "resume", "download": "data",
	"dataset": "data", "datasets": "data", "diff": "compare", "check": "doctor",
	"benchmark": "bench", "tag": "label", "save": "checkpoint",
}

// NoCommand reports the first argument as an unknown command, with a suggestion if there is one.
func NoCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Sprintf("unknown command %q: see drolab --help", args[0])
	near := c.SuggestionsFor(args[0])
	if known := elsewhere[args[0]]; known != "" {
		near = []string{known}
	}
	if len(near) > 0 {
		err = fmt.Sprintf("unknown command %q: did you mean %s?", args[0], near[0])
	}
	return errors.New(err)
}

// Choices completes a flag with words. A word may have a description behind a tab.
func Choices(c *cobra.Command, flag string, words ...string) {
	MustComplete(c, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
