package source

import (
	"strings"
	"testing"

	"drolab/runner/data"
)

// checkLengths checks the numbers of samples to train on, to validate with and to test with.
func checkLengths(t testing.TB, thing string, d *data.Dataset, want ...int) {
	t.Helper()
	for i, split := range []data.Source{d.Train, d.Val, d.Test} {
		got := 0
		if split != nil {
			got = split.Len()
		}
		if got != want[i] {
			t.Errorf("%s: the split %s has %d samples, want %d", thing,
				[]string{"train", "val", "test"}[i], got, want[i])
		}
	}
}

// checkError checks that a thing gave an error of one line with each of the texts.
func checkError(t testing.TB, thing string, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want one with %q", thing, texts)
		return
	}
	for _, want := range texts {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %q, want %q in it", thing, err, want)
		}
	}
	if strings.ContainsAny(err.Error(), "\n\x1b") {
		t.Errorf("%s: error %q, want one line without escapes", thing, err)
	}
}

// valuesOf returns the values of a sample.
func valuesOf(split data.Source, i int) []float32 {
	x := make([]float32, split.Shape().Len())
	split.Read(x, i)
	return x
}
