package measure

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain gives the garbage collector room: the tests hold only a few megabytes.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
