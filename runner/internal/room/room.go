// Package room tells how much memory may be taken, so that what needs more is
// refused with words before it is taken and not by the system's killer after,
// who ends every run of the process.
//
// It is an estimate of what the machine has now, and reserves nothing. Linux
// tells of the limits of the process and of its control group too; macOS, FreeBSD
// and Windows of the machine, and are not tried but built; on other systems
// everything fits.
package room

import (
	"fmt"
	"runtime/metrics"
)

// spare is left to the rest of the machine, as a share of what there is.
const spare = 0.05

// Error says that there is no room.
type Error struct {
	What      string  // that needs it
	Need, Has float64 // bytes
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s needs about %s of memory, and %s can be had: "+
		"make it smaller, or use a machine with more", e.What, size(e.Need), size(max(0, e.Has)))
}

// Ask returns an *Error where what needs so many bytes will not have them.
func Ask(bytes float64, what string) error {
	if has, known := Free(); known && bytes > has*(1-spare) {
		return &Error{what, bytes, has}
	}
	return nil
}

// taken is what this program's allocator has of the system.
func taken() float64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return float64(s[0].Value.Uint64()) - float64(s[1].Value.Uint64())
}

func size(bytes float64) string {
	for _, unit := range []string{"kB", "MB", "GB"} {
		if bytes /= 1000; bytes < 1000 {
			return fmt.Sprintf("%.3g %s", bytes, unit)
		}
	}
	return fmt.Sprintf("%.3g TB", bytes/1000)
}
