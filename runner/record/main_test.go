package record

import (
	"os"
	"runtime/debug"
	"testing"

	_ "drolab/dro/memtest"
)

// TestMain gives the garbage collector room: it takes half of the time of these tests otherwise,
// because they hold only a few megabytes.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
