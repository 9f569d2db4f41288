//go:build !linux

package kern

// hugePages is for Linux: other systems have no such advice, or need none.
func hugePages([]float32) {}
