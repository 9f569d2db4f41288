// Package tuitest holds the helpers that the tests of the interface share: made-up runs (script.go,
// archive.go, sweep.go), a rig that drives one page without the rest of the interface (rig.go),
// screens to compare (screen.go), and hostile texts (poison.go). Only tests import it.
package tuitest
