//go:build !unix

package main

// warned is never: the system has no such signal.
func warned() (<-chan struct{}, func()) { return nil, func() {} }
