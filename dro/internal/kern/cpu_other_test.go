//go:build !unix

package kern

import "time"

// cpuTime returns 0, because the time is not known on this system.
func cpuTime() time.Duration { return 0 }
