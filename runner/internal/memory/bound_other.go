//go:build !linux

package memory

import (
	"os"
	"runtime/debug"
	"time"
)

// Bound ends this process soon after it has taken more than this number of bytes beyond what it
// has. The garbage collector works harder before that.
func Bound(bytes float64) error {
	most := allocated() + bytes
	debug.SetMemoryLimit(int64(collectAt * bytes))
	go func() {
		for range time.Tick(10 * time.Millisecond) {
			if allocated() > most {
				os.Stderr.WriteString(OutOfMemory + "\n")
				os.Exit(1)
			}
		}
	}()
	return nil
}

// resident returns the number of bytes that this process has, without its mapped files.
func resident() float64 { return allocated() }
