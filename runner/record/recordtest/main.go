package recordtest

import (
	"os"
	"runtime/debug"
	"testing"
)

// Main runs a package's tests and gives the garbage collector room: with the few megabytes that
// tests hold it takes a third of their time.
func Main(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
