// Package tuitest holds the helpers that the tests of the interface share: made-up runs (script.go,
// archive.go), a rig that drives one page without the rest of the interface (rig.go), and screens
// to compare (screen.go). Only tests import it.
package tuitest
