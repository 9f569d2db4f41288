package console

import (
	"errors"
	"strings"

	"drolab/runner/numeral"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ReadNumbers makes every flag of a command, and of the commands below it, that takes numbers read
// them by the rule of package numeral. The flags of the library take 010 for 8.
func ReadNumbers(c *cobra.Command) {
	for _, flags := range []*pflag.FlagSet{c.PersistentFlags(), c.Flags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			if _, done := f.Value.(numbers); !done && TakesNumbers(f.Value.Type()) {
				f.Value = numbers{f.Value}
			}
		})
	}
	for _, below := range c.Commands() {
		ReadNumbers(below)
	}
}

// TakesNumbers reports whether the library's flags of a type are numbers or lists of them.
func TakesNumbers(kind string) bool {
	for _, of := range []string{"int", "uint", "float", "count"} {
		if strings.HasPrefix(kind, of) {
			return true
		}
	}
	return false
}

// numbers is the value of a flag that takes a number or, if it is a list, several with commas.
type numbers struct{ pflag.Value }

// words returns the numbers in the text of a flag.
func (v numbers) words(text string) []string {
	if strings.HasSuffix(v.Type(), "Slice") {
		return strings.Split(text, ",")
	}
	return []string{text}
}

// Set implements pflag.Value. Its error is the remedy.
func (v numbers) Set(text string) error {
	words := v.words(text)
	for i, word := range words {
		literal, ok := numeral.Decimal(word)
		if !ok {
			return errors.New(numeral.Remedy(word))
		}
		words[i] = literal
	}
	if err := v.Value.Set(strings.Join(words, ",")); err != nil { // a fraction, or out of range
		return errors.New(numeral.Remedy(text))
	}
	return nil
}
