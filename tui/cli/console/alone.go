package console

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// aloneGroups is the annotation of a flag with the groups of which it may be given alone, each as
// the names of its flags with a blank between them.
const aloneGroups = "drolab_alone"

// TakeAlone says that a command takes at most one of some flags. The shell completes the others no
// more when one is given.
func TakeAlone(c *cobra.Command, flags ...string) {
	c.MarkFlagsMutuallyExclusive(flags...)
	for _, name := range flags {
		f := c.Flags().Lookup(name)
		groups := append(f.Annotations[aloneGroups], strings.Join(flags, " "))
		c.Flags().SetAnnotation(name, aloneGroups, groups)
	}
}

// CheckAlone returns an error if several flags of a group of TakeAlone are given. Cobra checks the
// same after it, in a sentence that lists all flags of the group.
func CheckAlone(c *cobra.Command) (err error) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		for _, group := range f.Annotations[aloneGroups] {
			var given []string
			for name := range strings.FieldsSeq(group) {
				if c.Flags().Changed(name) {
					given = append(given, "--"+name)
				}
			}
			slices.Sort(given)
			if len(given) > 1 && err == nil {
				err = fmt.Errorf("%s: give one of them alone", strings.Join(given, ", "))
			}
		}
	})
	return err
}
