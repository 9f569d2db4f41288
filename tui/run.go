package tui

import (
	"context"
	"errors"
	"fmt"
	"os"

	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// ErrHangup is the error of Run when the terminal is gone: the window was
// closed or the connection lost. Nobody asked for the runs to stop.
var ErrHangup = errors.New("the terminal is gone")

// Run opens the interface and returns when it was left: nil when that was asked for, by a key or
// because ctx was cancelled (SIGTERM), and ErrHangup when the terminal went away. It leaves the
// terminal as it was before, even after a panic. The runs are the caller's: when Run returns they
// still go on.
func Run(ctx context.Context, cfg lab.Config) error {
	return run(ctx, cfg, modelOf(cfg))
}

// Program returns the interface for a terminal that is no file. cfg.Stdin is not read. The caller
// sends to the program what is typed, and every size after the first of w by h cells.
func Program(cfg lab.Config, w, h int, more ...tea.ProgramOption) *tea.Program {
	m := modelOf(cfg)
	more = append(more, tea.WithInput(nil), tea.WithOutput(cfg.Stdout), tea.WithWindowSize(w, h),
		tea.WithColorProfile(m.env.profile))
	return tea.NewProgram(guarded{m}, append(options(cfg, m.env), more...)...)
}

// sourceOf returns the Source of the runs that a configuration shows.
func sourceOf(cfg lab.Config) lab.Source {
	switch {
	case cfg.Kept != nil:
		return cfg.Kept
	case cfg.ReadOnly:
		return lab.Shown{Source: lab.Remember(cfg.RunsDir, cfg.Catalogues, cfg.Guest)}
	}
	return lab.Remember(cfg.RunsDir, cfg.Catalogues, false)
}

// options returns the options that every terminal needs.
func options(cfg lab.Config, env environment) []tea.ProgramOption {
	return []tea.ProgramOption{tea.WithoutSignalHandler(), tea.WithEnvironment(cfg.Environ),
		tea.WithFPS(env.frames())}
}

func run(ctx context.Context, cfg lab.Config, m *Model) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	gone := func() { cancel(ErrHangup) }
	env := environmentOf(cfg.Environ)
	all := append(options(cfg, env), tea.WithFPS(firstFrames),
		tea.WithInput(watched(cfg.Stdin, gone)), tea.WithOutput(watched(cfg.Stdout, gone)))
	if env.plain {
		all = append(all, tea.WithColorProfile(env.profile))
	}
	p := tea.NewProgram(guarded{m}, all...)
	m.frames = &frames{program: p}
	// Quit the program rather than kill it by tea.WithContext: then Bubble Tea waits for its reader
	// of keys.
	defer context.AfterFunc(ctx, p.Quit)()
	_, err := p.Run()
	m.keepLast()
	if text := m.watch.Story(); text != "" && cfg.Told != nil {
		cfg.Told(text)
	}
	switch {
	case m.failed != nil:
		return m.failed
	case errors.Is(context.Cause(ctx), ErrHangup):
		return ErrHangup
	case ctx.Err() != nil || err == nil:
		return nil
	}
	return fmt.Errorf("the interface ended: %w", err)
}

// terminal is a terminal's file that calls gone when the terminal is gone. Bubble Tea itself goes
// on without input, and drops errors of writing.
type terminal struct {
	*os.File
	gone func()
}

// watched returns a stream as it is, or a file as one that calls gone when it fails.
func watched[T any](stream T, gone func()) T {
	if f, ok := any(stream).(*os.File); ok {
		return any(&terminal{f, gone}).(T)
	}
	return stream
}

func (t *terminal) Read(p []byte) (int, error) { return t.tell(t.File.Read(p)) }

func (t *terminal) Write(p []byte) (int, error) { return t.tell(t.File.Write(p)) }

func (t *terminal) tell(n int, err error) (int, error) {
	if err != nil {
		t.gone()
	}
	return n, err
}
