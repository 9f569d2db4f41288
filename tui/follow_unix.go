//go:build unix

package tui

import (
	"os"
	"os/signal"
	"syscall"
)

// follow calls resized when the size of the terminal has changed, until stop is called. Changes
// while resized is busy are one.
func follow(resized func()) (stop func()) {
	changed := make(chan os.Signal, 1)
	signal.Notify(changed, syscall.SIGWINCH)
	go func() {
		for range changed {
			resized()
		}
	}()
	return func() {
		signal.Stop(changed)
		close(changed)
	}
}
