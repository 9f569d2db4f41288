//go:build !unix

package cli

// limitSignal returns a nil channel, which never warns: the system has no such signal.
func limitSignal() (<-chan struct{}, func()) { return nil, func() {} }
