package spec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"drolab/runner/data"
)

// Imbalance is the fraction of each class that is kept in the training split: one ratio per class,
// or a word. The zero value is "auto". It is never changed in place, so that copies of a Spec may
// share its ratios.
type Imbalance struct {
	word   string // "", "paper" or "none"; "" also if there are ratios
	ratios []float64
}

// KeepRatios returns the imbalance with one ratio in (0, 1] for each class.
func KeepRatios(ratios ...float64) Imbalance { return Imbalance{ratios: ratios} }

// Ratios returns one ratio for each class, or nil to keep all samples. "auto" stands for the
// customary ratios of the dataset.
func (i Imbalance) Ratios(dataset string) []float64 {
	switch {
	case len(i.ratios) > 0:
		return i.ratios
	case i.word == "paper":
		return data.PaperImbalance()
	case i.word == "":
		return data.DefaultImbalance(dataset)
	}
	return nil
}

// valid reports whether every ratio is in (0, 1]. The data decide how many ratios there must be:
// opening them refuses any other number.
func (i Imbalance) valid() bool {
	return !slices.ContainsFunc(i.ratios, func(r float64) bool { return !(r > 0 && r <= 1) })
}

func (i Imbalance) String() string {
	if len(i.ratios) > 0 {
		return strings.Trim(fmt.Sprint(i.ratios), "[]")
	}
	return cmp.Or(i.word, "auto")
}

// MarshalJSON writes a word or the list of ratios.
func (i Imbalance) MarshalJSON() ([]byte, error) {
	if len(i.ratios) > 0 {
		return json.Marshal(i.ratios)
	}
	return json.Marshal(i.String())
}

// UnmarshalJSON reads auto, paper, none or a list of ratios.
func (i *Imbalance) UnmarshalJSON(b []byte) error {
	*i = Imbalance{}
	var word string
	if json.Unmarshal(b, &word) == nil {
		switch word {
		case "auto":
		case "paper", "none":
			i.word = word
		default:
			return &KeyError{"imbalance", word, "auto, paper, none or a list of ratios"}
		}
		return nil
	}
	if err := json.Unmarshal(b, &i.ratios); err != nil || len(i.ratios) == 0 {
		return &KeyError{"imbalance", string(b), "auto, paper, none or a list of ratios"}
	}
	return nil
}
