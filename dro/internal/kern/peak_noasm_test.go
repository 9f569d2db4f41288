//go:build !amd64 || purego

package kern

// runPeak is not called: there is no vector instruction set.
func runPeak(ISA, int) {}
