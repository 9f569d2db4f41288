//go:build !darwin && !freebsd && !linux

package disk

// AskFree returns nil: the free bytes of a disk are not known on this system.
func AskFree(string, float64) error { return nil }

// withoutInodes returns false: inodes are not known on this system.
func withoutInodes(string) bool { return false }
