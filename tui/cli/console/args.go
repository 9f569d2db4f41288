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

// Cobra's own messages about arguments count them; these say what is missing.

// One wants one argument.
func One(what, example string) cobra.PositionalArgs {
	return Count(1, 1, "give "+what+", and only one: "+example)
}

// OneOrMore wants at least one argument.
func OneOrMore(what, example string) cobra.PositionalArgs {
	return Count(1, math.MaxInt, "give "+what+": "+example)
}

// OneAtMost wants an argument or none.
func OneAtMost(what, example string) cobra.PositionalArgs {
	return Count(0, 1, "give at most one "+what+": "+example)
}

// Count wants so many arguments, or else says the message.
func Count(least, most int, message string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return errors.New(message)
		}
		return nil
	}
}

// None wants no argument.
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
	return words, cobra.ShellCompDirectiveDefault // a file may be meant
}

// CompleteRuns offers the runs of the folder.
func (c *Console) CompleteRuns(_ *cobra.Command, _ []string, begun string) ([]string, Directive) {
	words := []string{"latest"}
	names := record.Starting(c.RunsDir, begun)
	const many = 50 // their states would take longer than a person waits for a word
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

// CompleteRead is CompleteRuns for commands that only read.
func (c *Console) CompleteRead(
	of *cobra.Command, args []string, begun string,
) ([]string, Directive) {
	words, _ := c.CompleteRuns(of, args, begun)
	for _, name := range recorded.Names() {
		words = append(words, recorded.Scheme+name+"\tcomes with the program")
	}
	return words, cobra.ShellCompDirectiveDefault // a file may be meant
}

// MustComplete has f complete a flag.
func MustComplete(c *cobra.Command, flag string, f cobra.CompletionFunc) {
	if c.RegisterFlagCompletionFunc(flag, f) != nil {
		panic("cli: completion of a flag that does not exist")
	}
}

// elsewhere are words of other programs for commands.
var elsewhere = map[string]string{
	"train": "run", "fit": "run", "start": "run", "launch": "run", "test": "eval",
	"evaluate": "eval", "predict": "eval", "list": "runs", "ls": "runs", "ps": "runs",
	"history": "runs", "status": "show", "info": "show", "rm": "delete", "remove": "delete",
	"kill": "stop", "cancel": "stop", "continue": "resume", "download": "data",
	"dataset": "data", "datasets": "data", "diff": "compare", "check": "doctor",
	"benchmark": "bench", "tag": "label", "save": "checkpoint",
}

// NoCommand refuses words that are no command.
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

// Choices completes a flag by words, which may have a meaning behind a tab.
func Choices(c *cobra.Command, flag string, words ...string) {
	MustComplete(c, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
