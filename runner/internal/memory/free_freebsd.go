package memory

import "golang.org/x/sys/unix"

// Free returns the number of bytes that this process can still take: pages that are free or were
// not used lately, and what the cache of ZFS can give back.
func Free() (bytes float64, known bool) {
	var pages [3]float64
	for i, name := range []string{"page_size", "free_count", "inactive_count"} {
		n, err := unix.SysctlUint32("vm.stats.vm.v_" + name)
		if err != nil {
			return 0, false
		}
		pages[i] = float64(n)
	}
	return pages[0]*(pages[1]+pages[2]) + max(0, cache("size")-cache("c_min")), true
}

func cache(name string) float64 {
	n, _ := unix.SysctlUint64("kstat.zfs.misc.arcstats." + name) // 0 without ZFS
	return float64(n)
}
