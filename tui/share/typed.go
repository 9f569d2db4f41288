package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"drolab/runner"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// forward sends what is typed, and new sizes, to the program, until the connection ends,
// and returns why: the reader of keys, which waits for somebody to take them, ends then
// only.
func (v *view) forward(ctx context.Context, p *tea.Program) error {
	events, over := make(chan uv.Event), make(chan error, 1)
	in := &words{Reader: v.Session}
	read := func() error { return uv.NewTerminalReader(in, v.term).StreamEvents(ctx, events) }
	go func() { over <- v.alone(read) }()
	idle := v.idle()
	defer func() { idle() }()
	for {
		select {
		case e := <-events:
			in.unknown.Store(0)
			idle()
			idle = v.idle()
			p.Send(e)
		case <-v.in.resized:
			p.Send(*v.in.size.Load())
		case err := <-over:
			var broken *runner.PanicError
			if !errors.Is(err, errBabel) && !errors.As(err, &broken) {
				err = errGone
			}
			return err
		}
	}
}

// idle ends the view when no key is pressed for long, unless it is stopped before.
func (v *view) idle() (stop func()) {
	if v.s.Idle == 0 {
		return func() {}
	}
	return v.s.after(v.s.Idle, func() { v.end(fmt.Errorf("no key was pressed for %s", v.s.Idle)) })
}

// mostWords is how much may be typed that makes no event, as in a paste without an end,
// which is kept in memory until it ends.
const mostWords = 64 << 10

// words is what is typed.
type words struct {
	io.Reader
	unknown atomic.Int64 // bytes since the last event
}

func (w *words) Read(p []byte) (int, error) {
	if w.unknown.Load() > mostWords {
		return 0, errBabel
	}
	n, err := w.Reader.Read(p)
	w.unknown.Add(int64(n))
	return n, err
}
