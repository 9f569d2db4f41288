package memory

import "golang.org/x/sys/unix"

// Free returns the number of bytes that this process can still take: the share of the machine's
// memory that the kernel reports as free, including what it can drop.
func Free() (bytes float64, known bool) {
	all, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0, false
	}
	percent, err := unix.SysctlUint32("kern.memorystatus_level")
	return float64(all) * float64(percent) / 100, err == nil && percent <= 100
}
