//go:build !unix

package cli

// warned returns a nil channel, which never warns: the system has no such signal.
func warned() (<-chan struct{}, func()) { return nil, func() {} }
