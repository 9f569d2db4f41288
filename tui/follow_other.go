//go:build !unix

package tui

// follow does nothing: a console reports its sizes among the keys.
func follow(func()) (stop func()) { return func() {} }
