//go:build !unix

package kern

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
