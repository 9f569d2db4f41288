package cli

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"drolab/dro"
	"drolab/presets"
	"drolab/presets/recorded"
	"drolab/runner/data"
	"drolab/runner/record"

	"github.com/spf13/cobra"
)

// Cobra's own messages about arguments count them; these say what is missing.

func exactlyOne(what, example string) cobra.PositionalArgs {
	return number(1, 1, "give "+what+", and only one: "+example)
}

func atLeastOne(what, example string) cobra.PositionalArgs {
	return number(1, math.MaxInt, "give "+what+": "+example)
}

func atMostOne(what, example string) cobra.PositionalArgs {
	return number(0, 1, "give at most one "+what+": "+example)
}

// number wants so many arguments, or else says the message.
func number(least, most int, message string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return errors.New(message)
		}
		return nil
	}
}

// runsOrAll wants names of runs, or --all in their place.
func runsOrAll(all *bool, verb string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if *all != (len(args) > 0) {
			return nil
		}
		return fmt.Errorf("give runs, or --all: drolab %s latest", verb)
	}
}

func nothing(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%q: %s takes no arguments: see %s --help", args[0], c.Name(), c.CommandPath())
}

// What follows feeds the shell's completion.

type completer = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

func completePresets(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	var words []string
	for _, p := range presets.List() {
		words = append(words, p.Name+"\t"+p.Doc)
	}
	return words, cobra.ShellCompDirectiveDefault // a file may be meant
}

func (a *app) completeRuns(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	words := []string{"latest"}
	runs, _ := record.List(a.runs)
	for _, r := range runs {
		words = append(words, r.Meta.ID+"\t"+string(r.Status()))
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// completeRead is completeRuns for commands that only read.
func (a *app) completeRead(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	words, _ := a.completeRuns(nil, nil, "")
	for _, name := range recorded.Names() {
		words = append(words, recorded.Scheme+name+"\tcomes with the program")
	}
	return words, cobra.ShellCompDirectiveDefault // a file may be meant
}

func completeAlgorithms(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	words := methodNames()
	for i, name := range words {
		words[i] = before + name
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func methodNames() (names []string) {
	for _, a := range dro.Algorithms() {
		names = append(names, string(a))
	}
	return names
}

func completeKeys(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var words []string
	for _, key := range presets.Keys() {
		words = append(words, key+"=")
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func (a *app) completeDatasets(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var words []string
	for _, e := range data.List(a.data) {
		if e.Download > 0 {
			words = append(words, e.Name+"\t"+e.Purpose)
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

func completeFolders(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func completeYAML(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

func mustComplete(c *cobra.Command, flag string, f completer) {
	if c.RegisterFlagCompletionFunc(flag, f) != nil {
		panic("cli: completion of a flag that does not exist")
	}
}
