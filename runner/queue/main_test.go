package queue

import (
	"os"
	"runtime/debug"
	"testing"

	"drolab/dro"
	_ "drolab/dro/memtest"
)

// methods returns every method or, with -short, one of each kind: with λ and η, without weights,
// with groups, with a restart, with a refit, and with steps of its own.
func methods() []dro.Algorithm {
	if testing.Short() {
		return []dro.Algorithm{dro.SFK, dro.PGD, dro.ERM, "group", "jtt", "dfr", "nsgdm"}
	}
	return dro.Algorithms()
}

// TestMain gives the garbage collector room: the tests hold only a few megabytes.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
