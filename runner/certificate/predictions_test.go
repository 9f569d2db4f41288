package certificate

import (
	"slices"
	"testing"
)

// A prediction that a program wrote as a float, 1.0, is the class 1.
func TestPredictionsAsFloats(t *testing.T) {
	for _, c := range []struct {
		words, names []string
		want         []int
	}{
		{[]string{"0.0", "1.0"}, []string{"0", "1"}, []int{0, 1}},
		{[]string{"1", "0"}, []string{"0.0", "1.0"}, []int{1, 0}},
		{[]string{"1.5"}, []string{"0", "1"}, []int{-1}},
	} {
		if got := places(c.words, c.names, nil); !slices.Equal(got, c.want) {
			t.Errorf("%q among %q: %v, want %v", c.words, c.names, got, c.want)
		}
	}
}
