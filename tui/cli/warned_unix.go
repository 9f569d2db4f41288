//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// warned returns a channel that is closed at the first USR1, which a cluster sends before a time
// limit, and a function that forgets the signal.
func warned() (<-chan struct{}, func()) {
	heard, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(heard, syscall.SIGUSR1)
	go func() {
		<-heard
		close(over)
	}()
	return over, func() { signal.Stop(heard) }
}
