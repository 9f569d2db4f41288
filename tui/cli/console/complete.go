package console

import (
	"errors"
	"slices"
	"strings"

	"drolab/presets"
	"drolab/presets/recorded"
	"drolab/runner/box"
	"drolab/runner/lists"
	"drolab/runner/record"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// CompletePresets offers the presets that come with the program.
func CompletePresets(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	words := lists.Map(presets.List(), func(p presets.Preset) string {
		return p.Name + "\t" +
			p.Doc
	})
	return words, cobra.ShellCompDirectiveDefault // the user may mean a file
}

// CompleteRuns offers "latest" and the runs of the runs folder whose names start with begun. Their
// statuses follow if the runs are few. For a command that runs on a box, the runs are those of the
// mirror.
func (c *Console) CompleteRuns(of *cobra.Command, _ []string, begun string) ([]string,
	cobra.ShellCompDirective) {
	words := []string{"latest"}
	dir := c.RunsDir
	if c.IsForwarded(of) && box.CheckName(c.boxes.names) == nil {
		dir = c.MirrorOf(c.boxes.names)
	}
	names := record.Starting(dir, begun)
	const many = 50 // reading more statuses would take longer than a user waits for a word
	for _, name := range names {
		if len(names) <= many {
			r, err := record.Find(dir, name)
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
) ([]string, cobra.ShellCompDirective) {
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

// Choices makes a flag take words of a list alone, and completes them. A word may have a
// description behind a tab.
func Choices(c *cobra.Command, flag string, words ...string) {
	MustComplete(c, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	f := c.Flags().Lookup(flag)
	f.Value = choice{f.Value, lists.Map(words, func(word string) string {
		word, _, _ = strings.Cut(word, "\t")
		return word
	})}
}

// choice is the value of such a flag: a word, or several with commas where the flag takes them.
type choice struct {
	pflag.Value
	words []string
}

// Set implements pflag.Value.
func (v choice) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		if !slices.Contains(v.words, word) {
			return errors.New(v.Type())
		}
	}
	return v.Value.Set(text)
}

// Type implements pflag.Value: it says what the flag takes.
func (v choice) Type() string {
	of := map[string]string{"string": "one", "stringSlice": "some"}[v.Value.Type()]
	return of + " of " + strings.Join(v.words, ", ")
}
