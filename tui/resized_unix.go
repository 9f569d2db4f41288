//go:build unix

package tui

import (
	"os"
	"os/signal"
	"syscall"
)

// resized sends a signal when the size of the terminal has changed.
func resized(c chan<- os.Signal) { signal.Notify(c, syscall.SIGWINCH) }
