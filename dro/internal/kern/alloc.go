package kern

import "unsafe"

// cacheLine is the alignment of Alloc in bytes; vectors that straddle lines halve the load rate.
const cacheLine = 64

// Alloc returns a zeroed slice of n values that starts on a cache line. Kernels run on any slice,
// but faster on these.
func Alloc(n int) []float32 {
	const perLine = cacheLine / 4
	s := make([]float32, n+perLine-1)
	hugePages(s)
	over := uintptr(unsafe.Pointer(unsafe.SliceData(s))) % cacheLine
	skip := int((cacheLine-over)%cacheLine) / 4
	return s[skip : skip+n : skip+n]
}
