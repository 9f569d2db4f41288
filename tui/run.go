package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"time"

	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"
)

// ErrHangup is the error of Run when the terminal is gone: the window was
// closed or the connection lost. Nobody asked for the runs to stop.
var ErrHangup = errors.New("the terminal is gone")

// Run opens the interface and returns when it was left: nil when that was asked for, by a key or
// because ctx was cancelled (SIGTERM), and ErrHangup when the terminal went away, which may also be
// the cause of ctx (SIGHUP). It leaves the terminal as it was before, even after a panic. The runs
// are the caller's: when Run returns they still go on.
func Run(ctx context.Context, cfg lab.Config) error {
	if err := Fit(cfg.Environ); err != nil {
		return fmt.Errorf("%w, or see drolab runs and drolab show for the figures", err)
	}
	return run(ctx, cfg, modelOf(cfg))
}

// Program returns the interface for a terminal that is no file. The caller sends to the program the
// events that it reads from the terminal, and a tea.WindowSizeMsg when the size has changed.
func Program(cfg lab.Config, t *Terminal) *tea.Program {
	m := modelOf(cfg)
	return program(cfg, m, t, tea.WithInput(nil), tea.WithColorProfile(m.env.profile))
}

func program(cfg lab.Config, m *Model, t *Terminal, more ...tea.ProgramOption) *tea.Program {
	size := t.Size()
	p := tea.NewProgram(guarded{m}, append([]tea.ProgramOption{
		tea.WithoutSignalHandler(), tea.WithEnvironment(cfg.Environ), tea.WithFPS(m.env.frames()),
		tea.WithOutput(t), tea.WithWindowSize(size.Width, size.Height), tea.WithFilter(t.filter),
	}, more...)...)
	t.send, t.remote = p.Send, m.env.remote
	return p
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

// grace is how long Bubble Tea may take to end when the terminal is gone. It does not end at all
// while a terminal takes no output.
const grace = time.Second

var errStuck = errors.New("the program does not end")

func run(ctx context.Context, cfg lab.Config, m *Model) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &Terminal{In: cfg.Stdin, Out: cfg.Stdout, Gone: func() { cancel(ErrHangup) },
		Size: func() tea.WindowSizeMsg { return sizeOf(cfg.Stdout) }}
	p := program(cfg, m, t, local(cfg, m.env, t)...)
	m.frames = &frames{program: p}
	ended := make(chan error, 2)
	// Quit the program rather than kill it by tea.WithContext: then Bubble Tea waits for its reader
	// of keys.
	defer context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), ErrHangup) {
			t.Forget()
			time.AfterFunc(grace, func() { ended <- errStuck })
		}
		p.Quit()
	})()
	defer follow(p)()
	go func() {
		_, err := p.Run()
		ended <- err
	}()
	err := <-ended
	if err == errStuck {
		return ErrHangup
	}
	m.keepLast()
	if text := m.watch.Story(); text != "" && cfg.Told != nil {
		cfg.Told(text)
	}
	switch {
	case m.failed != nil:
		return m.failed
	case errors.Is(context.Cause(ctx), ErrHangup):
		return ErrHangup
	}
	discard(cfg.Stdin)
	if ctx.Err() != nil || err == nil {
		return nil
	}
	return fmt.Errorf("the interface ended: %w", err)
}

// local returns the options for a terminal of this machine. Bubble Tea gets the file that it reads,
// whose modes it changes. It gets the file that it writes only on Windows, where that has modes,
// too: elsewhere it would take the size from the file, and the size has a bound here.
func local(cfg lab.Config, env environment, t *Terminal) []tea.ProgramOption {
	if !env.plain {
		env.profile = colorprofile.Detect(cfg.Stdout, cfg.Environ)
	}
	all := []tea.ProgramOption{tea.WithFPS(firstFrames), tea.WithColorProfile(env.profile),
		tea.WithInput(t)}
	if f, ok := cfg.Stdin.(*os.File); ok {
		all = append(all, tea.WithInput(file{f, t}))
	}
	if f, ok := cfg.Stdout.(*os.File); ok && runtime.GOOS == "windows" {
		all = append(all, tea.WithOutput(file{f, t}))
	}
	return all
}

// file is the file of a terminal, read and written through a Terminal.
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
func sizeOf(out io.Writer) (size tea.WindowSizeMsg) {
	if f, ok := out.(*os.File); ok {
		w, h, _ := term.GetSize(f.Fd()) // 0 if it is gone
		size = tea.WindowSizeMsg{Width: min(w, mostColumns+1), Height: min(h, mostRows)}
	}
	return size
}

// follow tells the program when the size of its terminal has changed, until stop is called. Sizes
// that come while the program is busy become one.
func follow(p *tea.Program) (stop func()) {
	changed := make(chan os.Signal, 1)
	resized(changed)
	go func() {
		for range changed {
			p.Send(tea.WindowSizeMsg{})
		}
	}()
	return func() {
		signal.Stop(changed)
		close(changed)
	}
}

// discard drops what was typed, or reported by the mouse, while the interface ended. The shell
// would take it for a command.
func discard(in io.Reader) {
	f, ok := in.(*os.File)
	if !ok {
		return
	}
	was, err := term.MakeRaw(f.Fd())
	if err != nil {
		return
	}
	defer term.Restore(f.Fd(), was)
	if r, err := uv.NewCancelReader(f); err == nil {
		time.AfterFunc(lookAgain, func() { r.Cancel() })
		io.Copy(io.Discard, r)
		r.Close()
	}
}
