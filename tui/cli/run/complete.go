package run

import (
	"strings"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner/lists"
	"drolab/runner/spec"

	"github.com/spf13/cobra"
)

func completeAlgorithms(
	_ *cobra.Command, _ []string, typed string,
) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	words := lists.Map(dro.MethodNames(), func(name string) string { return before + name })
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeKeys offers the keys of the settings and, after a key, its words.
func completeKeys(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if key, _, ok := strings.Cut(typed, "="); ok {
		var words []string
		if t, ok := spec.FindSetting(key); ok && t.Choices != nil {
			words = lists.Map(t.Choices(), func(word string) string { return key + "=" + word })
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	words := lists.Map(presets.Keys(), func(key string) string { return key + "=" })
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func completeFolders(
	_ *cobra.Command, args []string, _ string,
) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}
