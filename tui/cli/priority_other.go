//go:build !linux

package cli

// yieldThread does nothing: where a priority is one of a whole process, an engine would inherit it.
func yieldThread() {}
