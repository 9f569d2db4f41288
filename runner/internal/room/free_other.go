//go:build !darwin && !freebsd && !linux && !windows

package room

// Free tells nothing here.
func Free() (bytes float64, known bool) { return 0, false }
