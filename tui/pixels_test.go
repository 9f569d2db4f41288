package tui

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"drolab/tui/lab"
	"drolab/tui/pixels"

	tea "charm.land/bubbletea/v2"
)

// madeTerminal answers the question about pictures, and keeps what is written to it.
type madeTerminal struct {
	answer string
	keys   *io.PipeWriter
	came   chan struct{} // holds a value after every write

	mu      sync.Mutex
	written strings.Builder
}

func (m *madeTerminal) Write(p []byte) (int, error) {
	m.mu.Lock()
	m.written.Write(p)
	m.mu.Unlock()
	if strings.Contains(string(p), "\x1b[c") && m.answer != "" {
		go io.WriteString(m.keys, m.answer)
	}
	select {
	case m.came <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (m *madeTerminal) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.written.String()
}

// await waits until what was written holds a text.
func (m *madeTerminal) await(t *testing.T, text string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for !strings.Contains(m.text(), text) {
		select {
		case <-m.came:
		case <-ctx.Done():
			t.Fatalf("%q never came", text)
		}
	}
}

// brokenMsg panics where it is looked at.
type brokenMsg struct{}

func (brokenMsg) Changes() bool { panic("a test of a panic") }

// TestFilmInPixels plays the film on terminals that answer in different ways. Pictures are drawn
// where one has said that it can, and are gone when the film is left. No answer is taken for keys,
// however late, and no terminal is sent what it did not ask for.
func TestFilmInPixels(t *testing.T) {
	const kitty, name = "\x1b_Gi=1685221120;OK\x1b\\", "\x1bP>|iTerm2 3.5.0\x1b\\"
	const size = "\x1b[6;20;10t"
	const none, sixels = "\x1b[?62;22c", "\x1b[?62;4;22c"
	const drawsKitty, drawsITerm2, drawsSixels = ",a=p", "\x1b]1337;File=", "\x1bP0;1q"
	for _, c := range []struct{ name, answer, draws, clears string }{
		{"kitty", kitty + none, drawsKitty, ",a=d"},
		{"iTerm2", name + none, drawsITerm2, "\x1b[2J\x1b[?1049l"},
		{"sixel", size + sixels, drawsSixels, "\x1b[2J\x1b[?1049l"},
		{"none of them", none, "", ""},
		{"no answer", "", "", ""},
		{"garbage", "\x1b_Gi=1685221120;ENOTSUP\x1b\\\x1bP>|\x1b\\\x1b[6;t\x1b[?c", "", ""},
		{"half an answer", kitty[:9], "", ""},
		{"kitty, until a panic", kitty + none, drawsKitty, ",a=d"},
		{"sixel, until a panic", size + sixels, drawsSixels, "\x1b[2J\x1b[?1049l"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in, keys := io.Pipe()
			made := &madeTerminal{answer: c.answer, keys: keys, came: make(chan struct{}, 1)}
			cfg := lab.Config{RunsDir: t.TempDir(), DataDir: t.TempDir(),
				Environ: []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8"},
				Opening: lab.Opening{Film: true}, Context: t.Context()}
			m := modelOf(cfg)
			m.pixels = &pixels.Screen{}
			terminal := &Terminal{In: in, Out: made, pixels: m.pixels,
				Size: func() tea.WindowSizeMsg { return tea.WindowSizeMsg{Width: 80, Height: 24} }}
			p := program(cfg, m, terminal, tea.WithInput(nil))
			ended := make(chan error)
			go func() {
				_, err := p.Run()
				ended <- err
			}()
			go func() {
				for err := error(nil); err == nil; {
					_, err = terminal.Read(make([]byte, 1<<10))
				}
			}()
			made.await(t, "2/7 the question")
			if c.draws != "" {
				made.await(t, c.draws)
			}
			io.WriteString(keys, cmp.Or(c.answer, kitty+none)) // late, or once more
			if strings.Contains(c.name, "panic") {
				p.Send(brokenMsg{})
			} else {
				p.Quit()
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
			keys.Close()
			text := made.text()
			for _, draws := range []string{drawsKitty, drawsITerm2, drawsSixels} {
				if draws != c.draws && strings.Contains(text, draws) && c.draws != "" {
					t.Errorf("it was sent %q", draws)
				}
			}
			end := text[strings.LastIndex(text, c.draws):]
			if c.clears != "" && !strings.Contains(end, c.clears) {
				t.Errorf("the pictures are not cleared: no %q after the last: %q", c.clears,
					text[max(0, len(text)-300):])
			}
			if m.current != filmPage || m.used {
				t.Error("an answer was taken for a key")
			}
		})
	}
}

// TestPagesDrawPixels: Samples and the film draw pictures in the terminal's own pixels where it has
// them, on pages of the same size.
func TestPagesDrawPixels(t *testing.T) {
	const mark = "\u2800"
	pictured := func(r *driver) (marks int) {
		r.Theme.Draws = func(w, h int, rgb []byte, cells, lines int) []string {
			if len(rgb) != 3*w*h || max(w, h) > pixels.MostSide {
				t.Errorf("a picture of %d by %d pixels in %d bytes", w, h, len(rgb))
			}
			line := pixels.Style(1) + strings.Repeat(mark, cells) + "\x1b[39m"
			return slices.Repeat([]string{line}, lines)
		}
		r.version++
		r.fits(t, "with pictures")
		return strings.Count(r.View().Content, mark)
	}
	if n := pictured(onSamples(t, false, 120, 40)); n < 100 {
		t.Errorf("Samples has %d cells of pictures", n)
	}
}

// TestQuestionOfPixels: the terminal is asked for pictures where it may be one that draws them, and
// tmux is not asked for what it would take for a title.
func TestQuestionOfPixels(t *testing.T) {
	for _, c := range []struct {
		environ     string
		asks, kitty bool
	}{
		{"TERM=xterm-kitty", true, true},
		{"DROLAB_PIXELS=0", false, true},
		{"NO_COLOR=1", false, true},
		{"DROLAB_ASCII=1", false, true},
		{"SSH_CONNECTION=a", false, true},
		{"TMUX=a", true, false},
		{"TERM=screen-256color", true, false},
	} {
		e := environmentOf([]string{"LANG=C.UTF-8", c.environ})
		if e.pixels != c.asks {
			t.Errorf("%s: asks is %v, want %v", c.environ, e.pixels, c.asks)
		}
		asks := strings.Contains(pixels.Question(e.multiplexer), "\x1b_G")
		if asks != c.kitty {
			t.Errorf("%s: asks for kitty's protocol is %v, want %v", c.environ, asks, c.kitty)
		}
	}
}
