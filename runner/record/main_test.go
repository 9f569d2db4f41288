package record

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain gives the garbage collector room: with the few megabytes that these tests hold it
// takes half of their time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
