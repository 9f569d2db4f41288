package console

import (
	"errors"
	"strings"
	"time"

	"drolab/runner/numeral"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ReadNumbers makes every flag of a command, and of the commands below it, that takes numbers or a
// duration read them by the rule of package numeral. The flags of the library take 010 for 8, and
// no days.
func ReadNumbers(c *cobra.Command) {
	for _, flags := range []*pflag.FlagSet{c.PersistentFlags(), c.Flags()} {
		flags.VisitAll(func(f *pflag.Flag) {
			if _, done := f.Value.(numbers); !done && TakesNumbers(f.Value.Type()) {
				f.Value = numbers{f.Value}
			}
			if _, done := f.Value.(duration); !done && f.Value.Type() == "duration" {
				f.Value = duration{f.Value}
				f.DefValue = f.Value.String()
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

// duration is the value of a flag that takes a duration.
type duration struct{ pflag.Value }

// Set implements pflag.Value.
func (v duration) Set(text string) error {
	d, ok := numeral.Duration(text)
	if !ok {
		return errors.New("not a duration")
	}
	return v.Value.Set(d.String())
}

// String implements pflag.Value.
func (v duration) String() string {
	d, err := time.ParseDuration(v.Value.String())
	if err != nil {
		return v.Value.String()
	}
	return kit.Duration(d)
}
