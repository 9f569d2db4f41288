//go:build !unix

package tui

import "os"

// resized does nothing: a console reports its sizes among the keys.
func resized(chan<- os.Signal) {}
