package tui

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
	"drolab/tui/internal/render"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/pixels"

	tea "charm.land/bubbletea/v2"
	"github.com/hinshun/vt10x"
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
		switch c.name {
		case "half an answer": // leaving waits a second for the other half
			if testing.Short() {
				continue
			}
		case "garbage", "none of them", "sixel, until a panic":
			if testing.Short() { // "no answer", and "kitty, until a panic"
				continue
			}
		}
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
			made.await(t, "1/7")
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

// kittyTerminal is a made terminal that draws what the renderer sends, and has kitty's protocol.
// Its text is drawn by an emulator that knows no pictures.
type kittyTerminal struct {
	*driver
	wire   *render.Renderer
	read   int // bytes of what the renderer has sent
	text   vt10x.Terminal
	kept   map[string]bool            // pictures by number
	placed map[string]image.Rectangle // by number and placement
}

// haveKitty is what a terminal with kitty's protocol answers to the question about pictures.
const haveKitty = "\x1b_Gi=1685221120;OK\x1b\\\x1b[?62;22c"

// pictured returns the made terminal of a driver, which has answered that it has the protocol.
func pictured(r *driver) *kittyTerminal {
	now := time.Unix(1e9, 0)
	r.pixels = &pixels.Screen{Now: func() time.Time { now = now.Add(time.Minute); return now }}
	terminal := &Terminal{send: func(msg tea.Msg) { r.Send(msg) }}
	terminal.receive(haveKitty)
	k := &kittyTerminal{driver: r, kept: map[string]bool{}, placed: map[string]image.Rectangle{}}
	k.resize(r.w, r.h)
	return k
}

// resize changes the size, after which the renderer draws everything anew.
func (k *kittyTerminal) resize(w, h int) {
	k.size(w, h)
	k.wire, k.read = render.NewRenderer(w, h), 0
	k.text = vt10x.New(vt10x.WithSize(w, h))
	clear(k.placed)
}

// kittyCommand matches a command of kitty's protocol: its options.
var kittyCommand = regexp.MustCompile(`\x1b_G([^;\x1b]*)[^\x1b]*\x1b\\`)

// draw takes in bytes.
func (k *kittyTerminal) draw(t *testing.T, out string) {
	t.Helper()
	if strings.Contains(out, "\x1b[2J") {
		clear(k.placed)
	}
	for out != "" {
		at := kittyCommand.FindStringSubmatchIndex(out)
		if at == nil {
			k.text.Write([]byte(out))
			return
		}
		k.text.Write([]byte(out[:at[0]]))
		k.command(t, out[at[2]:at[3]])
		out = out[at[1]:]
	}
}

func (k *kittyTerminal) command(t *testing.T, options string) {
	t.Helper()
	o := map[string]string{}
	for _, option := range strings.Split(options, ",") {
		key, value, _ := strings.Cut(option, "=")
		o[key] = value
	}
	name := o["i"] + " " + o["p"]
	switch o["a"] {
	case "": // a picture is sent: the default
		k.kept[o["i"]] = true
	case "p":
		if !k.kept[o["i"]] {
			t.Errorf("picture %s is put, but was not sent", o["i"])
		}
		w, _ := strconv.Atoi(o["c"])
		h, _ := strconv.Atoi(o["r"])
		at := k.text.Cursor()
		k.placed[name] = image.Rect(at.X, at.Y, at.X+w, at.Y+h)
	case "d":
		delete(k.placed, name)
		if o["d"] == "I" {
			delete(k.kept, o["i"])
			for name := range k.placed {
				if strings.HasPrefix(name, o["i"]+" ") {
					delete(k.placed, name)
				}
			}
		}
	}
}

// pictures draws the screen, checks that each picture covers its own marks and nothing else, and
// returns how many there are. A mark without a picture is an error unless an overlay is on the
// page.
func (k *kittyTerminal) pictures(t *testing.T, what string) int {
	t.Helper()
	k.fits(t, what)
	k.wire.Frame(t, k.View().Content)
	out, wait := k.driver.pixels.Frame(k.wire.Sent()[k.read:])
	k.read = len(k.wire.Sent())
	if wait != 0 {
		t.Errorf("%s: there is a wait of %v", what, wait)
	}
	k.draw(t, out)
	covered := 0
	for name, r := range k.placed {
		covered += r.Dx() * r.Dy()
		number, _, _ := strings.Cut(name, " ")
		id, _ := strconv.Atoi(number)
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				c := k.text.Cell(x, y)
				if string(c.Char) != mark || int(c.FG) != 15+id-1685221120 {
					t.Fatalf("%s: a picture at %v covers %q in colour %d", what, r, c.Char, c.FG)
				}
			}
		}
	}
	if n := strings.Count(k.text.String(), mark); n != covered && k.overlay == nil {
		t.Errorf("%s: pictures cover %d cells, and there are %d marks", what, covered, n)
	}
	return len(k.placed)
}

// mark is the character of a picture's cells.
const mark = "\u2800"

// TestPagesDrawPixels: the adversary's eye and Samples draw the pictures of a trained run in the
// terminal's own pixels. They go with what they belong to: when a page turns, scrolls or has a new
// size, when an overlay covers them, and when the interface is left.
func TestPagesDrawPixels(t *testing.T) {
	testsize.NotShort(t, "trains: TestFilmInPixels draws pictures on a made terminal")
	s := spec.Defaults()
	s.Algorithms, s.Model, s.Dataset, s.Samples = []dro.Algorithm{dro.PGD}, "linear", "shapes", 200
	s.Augment, s.Batch, s.Epochs = false, 16, 1
	run := recordtest.Train(t, s)
	folder := lab.Folder(filepath.Dir(run.Dir))
	r := newDriver(t, &tuitest.Script{Folder: folder, Now: tuitest.Epoch0()}, 200, 60)
	r.Source, r.Config.RunsDir = folder, string(folder)
	k := pictured(r)
	r.Press("2")
	r.Wait(2*time.Second, time.Second/5)
	eye := k.pictures(t, "the eye")
	if eye < 3 {
		t.Fatalf("the eye has %d pictures:\n%s", eye, tuitest.Text(r.shot(t)))
	}
	check := func(what string, want func(n int) bool) {
		t.Helper()
		if n := k.pictures(t, what); !want(n) {
			t.Errorf("%s: %d pictures:\n%s", what, n, tuitest.Text(r.shot(t)))
		}
	}
	none := func(n int) bool { return n == 0 }
	some := func(n int) bool { return n > 0 }
	all := func(n int) bool { return n == eye }
	fewer := func(n int) bool { return n < eye }
	r.Press("?")
	check("an overlay over the eye", fewer)
	r.Press("esc")
	check("the eye without the overlay", all)
	r.Press("3")
	check("another page", none)
	r.Press("2")
	check("the eye again", all)
	k.resize(40, 12)
	check("the eye on a small screen", none)
	k.resize(200, 60)
	check("the eye on a large screen", all)

	r.Press("P")
	check("Samples", func(n int) bool { return n > eye })
	for _, key := range []string{"down", "pgdown", "G", "right", "g", "f", "f", "f", "s", "z"} {
		r.Press(key)
		check("Samples after "+key, some)
	}
	r.Press("z", "v")
	check("a list of samples", func(n int) bool { return n <= 1 })
	r.Press("v")
	for _, size := range []image.Point{{80, 24}, {120, 40}, {81, 25}} {
		k.resize(size.X, size.Y)
		check(fmt.Sprint("Samples at ", size), some)
		r.Press("?")
		k.pictures(t, "an overlay over Samples")
		r.Press("esc")
		check("Samples without the overlay", some)
	}
	out, _ := k.driver.pixels.Frame("\x1b[?1049l")
	k.draw(t, out)
	if len(k.placed)+len(k.kept) > 0 {
		t.Errorf("after it was left, there are %d pictures, and %d kept", len(k.placed),
			len(k.kept))
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
		if asks := e.noPixels == ""; asks != c.asks {
			t.Errorf("%s: asks is %v, want %v", c.environ, asks, c.asks)
		}
		asks := strings.Contains(pixels.Question(e.multiplexer), "\x1b_G")
		if asks != c.kitty {
			t.Errorf("%s: asks for kitty's protocol is %v, want %v", c.environ, asks, c.kitty)
		}
	}
}
