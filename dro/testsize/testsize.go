package testsize

import (
	"os"
	"testing"
)

// Long reports whether tests take all sizes: DROLAB_LONG is set, and -short is not.
func Long() bool { return os.Getenv("DROLAB_LONG") != "" && !testing.Short() }

// Pick returns what a test takes with -short, as a rule, or with DROLAB_LONG=1.
func Pick[T any](short, usual, long T) T {
	switch {
	case testing.Short():
		return short
	case Long():
		return long
	}
	return usual
}

// OnlyLong skips a test that runs in the longest size only. The reason is what the test does that
// takes long.
func OnlyLong(t testing.TB, reason string) {
	t.Helper()
	if !Long() {
		t.Skip(reason + ": with DROLAB_LONG=1 only")
	}
}

// NotShort skips a test with -short. The reason says what takes long, and which quicker test shows
// the same kind.
func NotShort(t testing.TB, reason string) {
	t.Helper()
	if testing.Short() {
		t.Skip(reason + ": not with -short")
	}
}

// Few returns the first n elements of a list with -short, and otherwise all of them.
func Few[T any](n int, list ...T) []T {
	if testing.Short() {
		return list[:n]
	}
	return list
}
