package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"drolab/tui/lab"
	"drolab/tui/pixels"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"
)

// ErrHangup is the error of Run when the terminal is gone: the window was
// closed or the connection lost. Nobody asked for the runs to stop.
var ErrHangup = errors.New("the terminal is gone")

// Run opens the interface and returns when it was left. The error is nil when a key or a cancelled
// ctx (SIGTERM) asked for that, and ErrHangup when the terminal went away, which may also be the
// cause of ctx (SIGHUP). Run leaves the terminal as it was before, even after a panic. The runs are
// the caller's: when Run returns they still go on.
func Run(ctx context.Context, cfg lab.Config) error {
	if err := CheckTerminal(cfg.Environ); err != nil {
		return fmt.Errorf("%w, or see %s and %s for the figures", err,
			cfg.Place.Command("drolab runs"), cfg.Place.Command("drolab show RUN"))
	}
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	cfg.Context = ctx
	return run(ctx, cfg, modelOf(cfg))
}

// Program returns the interface for a terminal that is no file. The caller sends to the program the
// events that it reads from the terminal, and a tea.WindowSizeMsg when the size has changed.
func Program(cfg lab.Config, t *Terminal) *tea.Program {
	return program(cfg, modelOf(cfg), t, tea.WithInput(nil))
}

func program(cfg lab.Config, m *Model, t *Terminal, more ...tea.ProgramOption) *tea.Program {
	size, filter := t.Size(), t.filter
	if cfg.Debug != nil {
		filter = logged(cfg.Debug, t.filter)
	}
	p := tea.NewProgram(panicGuard{m}, append([]tea.ProgramOption{
		tea.WithoutSignalHandler(), tea.WithEnvironment(cfg.Environ), tea.WithFPS(m.env.frames),
		tea.WithOutput(t), tea.WithWindowSize(size.Width, size.Height), tea.WithFilter(filter),
		tea.WithColorProfile(m.env.profile),
	}, more...)...)
	t.send = p.Send
	return p
}

func run(ctx context.Context, cfg lab.Config, m *Model) error {
	hung, hangup := context.WithCancel(context.Background())
	defer hangup()
	in, out := cfg.Stdin.(*os.File), cfg.Stdout.(*os.File)
	t := &Terminal{In: in, Out: out, Size: func() tea.WindowSizeMsg { return sizeOf(out) },
		gone: hangup, hung: hung.Done()}
	if m.env.noPixels == "" {
		m.pixels = &pixels.Screen{}
		t.pixels = m.pixels
	}
	options := []tea.ProgramOption{tea.WithFPS(firstFrames), tea.WithInput(file{in, t})}
	if !m.env.plain {
		options = append(options, tea.WithColorProfile(colorprofile.Detect(out, cfg.Environ)))
	}
	if runtime.GOOS == "windows" { // where a file has to be made a terminal to be written, too
		options = append(options, tea.WithOutput(file{out, t}))
	}
	p := program(cfg, m, t, options...)
	m.frames = &frames{program: p}
	// Quit the program rather than kill it by tea.WithContext: then Bubble Tea waits for its reader
	// of keys.
	defer context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), ErrHangup) {
			hangup()
		}
		p.Quit()
	})()
	defer context.AfterFunc(hung, t.Quit)()
	defer follow(func() { p.Send(tea.WindowSizeMsg{}) })()
	_, err := p.Run()
	m.keepLast()
	if text := m.watch.Story(); text != "" && cfg.Story != nil {
		cfg.Story(text)
	}
	switch {
	case m.failed != nil:
		return m.failed
	case hung.Err() != nil:
		return ErrHangup
	}
	discard(in)
	if ctx.Err() != nil || err == nil {
		return nil
	}
	return fmt.Errorf("the interface ended: %w", err)
}

// file is the file of a terminal, whose modes Bubble Tea sets.
type file struct {
	*os.File
	t *Terminal
}

func (f file) Read(p []byte) (int, error) { return f.t.Read(p) }

func (f file) Write(p []byte) (int, error) { return f.t.Write(p) }

// The greatest size of the screen in cells, since each cell takes memory. A larger terminal has
// blanks beyond it.
const (
	mostColumns = 1000
	mostRows    = 300
)

// sizeOf returns the size of a terminal, bounded. Bubble Tea gets one more column, which stays
// blank: it goes to the last column by tabs, and these go further on a wider terminal.
func sizeOf(out *os.File) tea.WindowSizeMsg {
	w, h, _ := term.GetSize(out.Fd()) // 0 if it is gone
	return tea.WindowSizeMsg{Width: min(w, mostColumns+1), Height: min(h, mostRows)}
}

// discard drops what was typed, or reported by the mouse, while the interface ended. The shell
// would take it for a command.
func discard(in *os.File) {
	if was, err := term.MakeRaw(in.Fd()); err == nil {
		defer term.Restore(in.Fd(), was)
	}
	if r, err := uv.NewCancelReader(in); err == nil {
		time.AfterFunc(lookAgain, func() { r.Cancel() })
		io.Copy(io.Discard, r)
		r.Close()
	}
}
