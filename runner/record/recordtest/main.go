package recordtest

import (
	"os"
	"runtime/debug"
	"testing"
)

// Main runs a package's tests with a less frequent garbage collector. With the few megabytes that
// tests hold, collection takes a third of their time.
func Main(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
