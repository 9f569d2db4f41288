//go:build !darwin && !freebsd && !linux && !windows

package memory

// Free reports that the free memory is not known on this system.
func Free() (bytes float64, known bool) { return 0, false }
