//go:build !linux

package room

import (
	"os"
	"runtime/debug"
	"time"
)

// Bound ends this process soon after it has taken so many bytes more than it has.
// The collector works harder before.
func Bound(bytes float64) error {
	most := taken() + bytes
	debug.SetMemoryLimit(int64(collectAt * bytes))
	go func() {
		for range time.Tick(10 * time.Millisecond) {
			if taken() > most {
				os.Stderr.WriteString(OutOfMemory + "\n")
				os.Exit(1)
			}
		}
	}()
	return nil
}
