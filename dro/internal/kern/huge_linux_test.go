package kern

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// Alloc asks for huge pages ("hg" in smaps) for the memory of large slices, except for less than a
// page at each end. For small slices it does not ask.
func TestAllocAsksForHugePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this system has none: ", err)
	}
	for n := range 4 {
		s := Alloc(n<<19 + 1) // n pages
		text, err := os.ReadFile("/proc/self/smaps")
		if err != nil {
			t.Skip(err)
		}
		if asked, want := asked(string(text), s), max(0, n-1)<<21; asked < want ||
			asked > 4*len(s) {
			t.Errorf("of %d bytes %d are asked for, want %d at least", 4*len(s), asked, want)
		}
	}
}

// asked counts the bytes of s that lie in mappings with the flag.
func asked(smaps string, s []float32) (bytes int) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	var from, to uintptr
	for line := range strings.Lines(smaps) {
		var low, high uintptr
		if _, err := fmt.Sscanf(line, "%x-%x ", &low, &high); err == nil {
			from, to = low, high
		}
		if strings.HasPrefix(line, "VmFlags:") && strings.Contains(line, " hg") {
			if low, high := max(from, start), min(to, start+uintptr(4*len(s))); low < high {
				bytes += int(high - low)
			}
		}
	}
	return bytes
}
