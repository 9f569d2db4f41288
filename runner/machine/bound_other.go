//go:build !linux

package machine

// boundTo returns nil: this process may run on all processors.
func boundTo() func(processor int) bool { return nil }
