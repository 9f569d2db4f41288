package presets

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"drolab/runner"
	"drolab/runner/spec"
)

// These match the sentences of comments that refer to a value of another preset: "as in the preset
// shapes", "as paper-gentle", "half of the preset shapes". onThe matches those of doc lines that
// name its data: "on the preset shapes".
var (
	asIn   = regexp.MustCompile(`\bas (?:in )?(?:the preset )?([a-z][a-z0-9.-]*[a-z0-9])`)
	halfOf = regexp.MustCompile(`\bhalf of the preset ([a-z][a-z0-9.-]*[a-z0-9])`)
	onThe  = regexp.MustCompile(`\bon the preset ([a-z][a-z0-9.-]*[a-z0-9])`)
)

// untrue returns the sentences of a preset that contradict its own values or those of the other
// preset.
func untrue(t *testing.T, p *Preset) (list []string) {
	t.Helper()
	said := func(key, sentence string, form *regexp.Regexp, same func(is, there string) bool) {
		m := form.FindStringSubmatch(sentence)
		if m == nil || !slices.Contains(names(), m[1]) {
			return
		}
		other, err := loadEmbedded(m[1])
		if err != nil {
			t.Fatal(err)
		}
		if is, there := p.Spec.Text(key), other.Spec.Text(key); !same(is, there) {
			list = append(list, fmt.Sprintf("%s: %s is %s, and %s there", sentence, key, is, there))
		}
	}
	equal := func(is, there string) bool { return is == there }
	for key, reason := range p.Reasons {
		said(key, reason, asIn, equal)
		said(key, reason, halfOf, func(is, there string) bool {
			x, _ := strconv.ParseFloat(is, 64)
			y, _ := strconv.ParseFloat(there, 64)
			return 2*x == y
		})
	}
	for _, key := range []string{"dataset", "model", "samples", "difficulty", "imbalance",
		"augment"} {
		said(key, p.Doc, onThe, equal)
	}
	return list
}

// TestSentencesAreTrue: the statements of a preset about another preset's values are true.
func TestSentencesAreTrue(t *testing.T) {
	for _, p := range List() {
		t.Run(p.Name, func(t *testing.T) {
			for _, sentence := range untrue(t, &p) {
				t.Error(sentence)
			}
		})
	}
	for sentence, holds := range map[string]bool{
		"as in the preset shapes: why":    true,
		"as in the preset paper":          false,
		"before, as in the preset shapes": true,
		"as paper-gentle":                 false,
		"half of the preset shapes":       false,
		"as lambda":                       true,
	} {
		t.Run("of "+sentence, func(t *testing.T) {
			s, err := loadEmbedded("shapes")
			if err != nil {
				t.Fatal(err)
			}
			p := &Preset{Preset: runner.Preset{Spec: spec.Defaults(),
				Reasons: map[string]string{"epochs": sentence}}}
			p.Spec.Epochs = s.Spec.Epochs
			if got := untrue(t, p); (got == nil) != holds {
				t.Errorf("belied by %q, want %v", got, !holds)
			}
		})
	}
}
