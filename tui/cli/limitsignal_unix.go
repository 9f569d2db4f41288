//go:build unix

package cli

import (
	"context"
	"os/signal"
	"syscall"
)

// limitSignal returns a channel that is closed at the first USR1, which a cluster sends before a
// time limit, and a function that forgets the signal.
func limitSignal() (<-chan struct{}, func()) {
	ctx, forget := signal.NotifyContext(context.Background(), syscall.SIGUSR1)
	return ctx.Done(), forget
}
