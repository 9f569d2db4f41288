package spec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drolab/runner/data"
	"drolab/runner/data/source"
)

// Imbalance is the fraction of each class that is kept in the training split: one ratio per class,
// or a word. The zero value is "auto". It is never changed in place, so that copies of a Spec may
// share its ratios.
type Imbalance struct {
	word   string // "" or one of imbalances but auto; "" also if there are ratios
	ratios []float64
}

// The words of Imbalance. Both imbalances of the paper have its ratios: one keeps the first samples
// of each class, the other draws them by the run's seed.
const (
	autoImbalance  = "auto"
	paperImbalance = "paper"
	drawnImbalance = "paper-drawn"
	noImbalance    = "none"
)

func imbalances() []string {
	return []string{autoImbalance, paperImbalance, drawnImbalance, noImbalance}
}

// KeepRatios returns the imbalance with one ratio in (0, 1] for each class.
func KeepRatios(ratios ...float64) Imbalance { return Imbalance{ratios: ratios} }

// Ratios returns one ratio for each class, or nil to keep all samples. "auto" stands for the
// customary ratios of the dataset.
func (i Imbalance) Ratios(dataset string) []float64 {
	switch {
	case len(i.ratios) > 0:
		return i.ratios
	case i.word == paperImbalance || i.Drawn():
		return data.PaperImbalance()
	case i.word == "":
		return source.DefaultImbalance(dataset)
	}
	return nil
}

// Drawn reports whether the run's seed draws the samples that are kept.
func (i Imbalance) Drawn() bool { return i.word == drawnImbalance }

// valid reports whether every ratio is in (0, 1]. The data decide how many ratios there must be:
// opening them refuses any other number.
func (i Imbalance) valid() bool {
	return all(i.ratios, func(r float64) bool { return r > 0 && r <= 1 })
}

func (i Imbalance) String() string {
	if len(i.ratios) > 0 {
		return strings.Trim(fmt.Sprint(i.ratios), "[]")
	}
	return cmp.Or(i.word, autoImbalance)
}

// MarshalJSON writes a word or the list of ratios.
func (i Imbalance) MarshalJSON() ([]byte, error) {
	if len(i.ratios) > 0 {
		return json.Marshal(i.ratios)
	}
	return json.Marshal(i.String())
}

// UnmarshalJSON reads a word or a list of ratios.
func (i *Imbalance) UnmarshalJSON(b []byte) error {
	*i = Imbalance{}
	var word string
	switch err := json.Unmarshal(b, &word); {
	case word == autoImbalance:
	case slices.Contains(imbalances(), word):
		i.word = word
	case err != nil && json.Unmarshal(b, &i.ratios) == nil && len(i.ratios) > 0:
	default:
		return &KeyError{"imbalance", cmp.Or(word, string(b)),
			strings.Join(imbalances(), ", ") + " or a list of ratios"}
	}
	return nil
}
