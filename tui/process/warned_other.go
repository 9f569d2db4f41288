//go:build !unix

package process

// warned is never: the system has no such signal.
func warned() (<-chan struct{}, func()) { return nil, func() {} }
