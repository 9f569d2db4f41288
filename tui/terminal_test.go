package tui

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"drolab/dro/testsize"
	"drolab/tui/internal/tuitest"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

// testTerminal is a terminal made for a test, whose clock is that of a bubble of synctest.
type testTerminal struct {
	*Terminal
	end     *io.PipeWriter // what is written here is typed
	program *tea.Program
	over    chan struct{} // closed when the program has ended

	questions []string
	ask       func(k *testTerminal, question string) // called at each, if not nil

	mu  sync.Mutex
	got []string // what was typed, as it reached the program
}

// onTestTerminal runs a Model on such a terminal. It calls ask at each question, if that is not
// nil.
func onTestTerminal(
	t *testing.T, m *Model, ask func(*testTerminal, string), use func(*testTerminal),
) {
	t.Helper()
	in, end := io.Pipe()
	k := &testTerminal{end: end, ask: ask, over: make(chan struct{})}
	k.Terminal = &Terminal{In: in, Out: k,
		Size: func() tea.WindowSizeMsg { return tea.WindowSizeMsg{Width: 80, Height: 24} }}
	k.program = program(m.Config, m, k.Terminal, tea.WithInput(nil),
		tea.WithFPS(idleFrames))
	send := k.send
	k.send = func(msg tea.Msg) {
		k.note(msg)
		send(msg)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for b := make([]byte, 1<<10); ; {
			if _, err := k.Read(b); err != nil {
				return
			}
		}
	}()
	go func() {
		defer close(k.over)
		if _, err := k.program.Run(); err != nil {
			t.Error(err)
		}
	}()
	time.Sleep(time.Second/idleFrames + time.Millisecond) // the first frame is drawn
	use(k)
	k.Quit()
	<-k.over
	end.Close()
	<-read
	time.Sleep(10 * time.Second) // until no timer is left
}

// Write takes what the program draws.
func (k *testTerminal) Write(p []byte) (int, error) {
	for _, q := range []string{ansi.RequestModeSynchronizedOutput, ansi.RequestModeUnicodeCore,
		ansi.RequestBackgroundColor, ansi.RequestKittyKeyboard} {
		for range bytes.Count(p, []byte(q)) {
			k.questions = append(k.questions, q)
			if k.ask != nil {
				k.ask(k, q)
			}
		}
	}
	return len(p), nil
}

// note notes a key or a paste.
func (k *testTerminal) note(e tea.Msg) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch e := e.(type) {
	case uv.KeyPressEvent:
		k.got = append(k.got, e.String())
	case tea.KeyPressMsg:
		k.got = append(k.got, e.String())
	case tea.PasteMsg:
		k.got = append(k.got, "paste "+e.Content)
	case uv.MouseClickEvent:
		k.got = append(k.got, "click")
	}
}

// count returns how many keys and pastes came and were not taken.
func (k *testTerminal) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.got)
}

// typed types pieces with a pause before each but the first, and returns what came of it.
func (k *testTerminal) typed(pause time.Duration, pieces ...string) []string {
	for i, piece := range pieces {
		if i > 0 {
			time.Sleep(pause)
		}
		if piece != "" {
			io.WriteString(k.end, piece)
		}
	}
	time.Sleep(restOfAny + restAfterEsc)
	synctest.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	got := k.got
	k.got = nil
	return got
}

// reports are what terminals send that are no keys.
var reports = []string{
	"\x1b]10;rgb:c0c0/c0c0/c0c0\x1b\\", "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\",
	"\x1b]11;rgb:1e1e/1e1e/2e2e\x07", "\x1b]12;#1e1e2e\x07", "\x1b]4;1;rgb:cd/00/00\x1b\\",
	"\x1b]52;c;cTpx\x1b\\", "\x1b[?2026;2$y", "\x1b[?2027;0$y", "\x1b[?1u", "\x1b[?62;22;52c",
	"\x1b[>1;4402;0c", "\x1b[12;40R", "\x1b[?12;40R", "\x1b[8;24;80t", "\x1b[48;24;80;480;800t",
	"\x1b[?997;1n", "\x1bP>|XTerm(390)\x1b\\", "\x1bP1+r524742=382F382F38\x1b\\",
	"\x1bP1$r0m\x1b\\", "\x1bP!|7E565445\x1b\\", "\x1b_Gi=31;OK\x1b\\", "\x1b[<0;12;5M",
	"\x1b[<35;12;5m", "\x1b[<65;12;5M", "\x1b[I", "\x1b[O",
	"\x1b[200~q1X\r:é\x1b[201~",
}

// TestReportsAreNoKeys splits everything that a terminal reports at every byte. On no page does a
// key come of it, other than an Esc that was handed on before the rest came, and that only if no
// answer is awaited. The short form has all pauses on one page. On the others it has one pause and
// every second byte, on half of them the even ones.
func TestReportsAreNoKeys(t *testing.T) {
	archive := tuitest.NewArchive(t)
	places := []string{"3", "3/", "1", "2", "4", "5", "6", "3:", "2?"}
	for i, at := range testsize.Few(1, places...) {
		t.Run(at, func(t *testing.T) {
			r := browsing(t, archive, at[:1], 80, 24)
			r.Type(at[1:])
			keys, cases := map[string]int{}, 0
			delays, first, every := []time.Duration{20, 60, 150, 400}, 1, 1
			if !testsize.Long() && (at != "3" || testing.Short()) {
				delays, first, every = delays[2:3], 1+i%2, testsize.Pick(5, 2, 2)
			}
			synctest.Test(t, func(t *testing.T) {
				onTestTerminal(t, r.Model, nil, func(k *testTerminal) {
					for _, report := range reports {
						for split := first; split < len(report); split += every {
							for i, delay := range slices.Concat(delays, delays) {
								awaits := i < len(delays)
								k.asked.Store(0)
								if awaits {
									k.asked.Store(time.Now().UnixNano())
								}
								cases++
								for _, key := range k.typed(delay*time.Millisecond, report[:split],
									report[split:]) {
									if !strings.HasPrefix(key, "paste q1X\r:é") && key != "click" &&
										!(key == "esc" && split == 1 && !awaits) {
										keys[key]++
									}
								}
							}
						}
					}
				})
			})
			t.Logf("%d cases", cases)
			if len(keys) > 0 {
				n := 0
				for _, times := range keys {
					n += times
				}
				t.Errorf("%d keys in %d cases, of %d kinds: %q", n, cases, len(keys),
					slices.Sorted(maps.Keys(keys)))
			}
		})
	}
}

// TestKeysStayKeys: what is typed arrives, each key once and in order, whatever the line does to
// its bytes. With -short every second case.
func TestKeysStayKeys(t *testing.T) {
	const quick = 10 * time.Millisecond
	archive := tuitest.NewArchive(t)
	for i, c := range []struct {
		pause time.Duration
		typed []string
		want  string
	}{
		{quick, []string{"q"}, "q"},
		{quick, []string{"\x1b"}, "esc"},
		{quick, []string{"\x1b", "\x1b", "\x1b"}, "esc esc esc"},
		{quick, []string{"\x1b\x1b[A"}, "esc up"},
		{quick, []string{"\x1b", "x"}, "alt+x"},
		{quick, []string{"1\x1bx2\x1b3"}, "1 alt+x 2 alt+3"},
		{100 * time.Millisecond, []string{"\x1b", "2", "q"}, "esc 2 q"},
		{100 * time.Millisecond, []string{"\x1b", "]", "2", "q"}, "esc ] 2 q"},
		{100 * time.Millisecond, []string{"\x1b", "[", "[", "z"}, "esc [ [ z"},
		{100 * time.Millisecond, []string{"\x1b", "P", "\x1b"}, "esc P esc"},
		{100 * time.Millisecond, []string{"\x1b", "[A"}, "esc up"},
		{700 * time.Millisecond, []string{"\x1b", "[", "A"}, "esc [ A"},
		{100 * time.Millisecond, []string{"\x1b[", "A", "\x1bO", "P", "\x1b[1;", "5C"},
			"up f1 ctrl+right"},
		{100 * time.Millisecond, []string{"\x1b]11;rgb:", "\x1b[Aq"}, "up q"}, // cut short
		{100 * time.Millisecond, []string{"\x1b[1", "\rq"}, "enter q"},
		{quick, append([]string{"\x1b]"}, append(slices.Repeat([]string{"11;q1X"}, 999),
			"\x1b\\2")...), "2"},
		{100 * time.Millisecond, []string{"\x1b[20", "0~a\x1b[", "20", "1~2"}, "paste a 2"},
		{100 * time.Millisecond, []string{"\x1b[200~\xc3", "\xa9\x1b", "[A\x1b[201~q"},
			"paste é\x1b[A q"},
		{100 * time.Millisecond, []string{"\xc3", "\xa9", "\xe2\x82", "\xac\xff2"}, "é € 2"},
		{quick, []string{"\x1bé\x1b", "\xc3", "\xa9"}, "alt+é alt+é"},
		{100 * time.Millisecond, []string{"\x1b", "[200~ab\x1b[201~"}, "esc paste ab"},
	} {
		if testing.Short() && i%8 > 0 {
			continue
		}
		t.Run(fmt.Sprintf("%.60q", c.typed), func(t *testing.T) {
			r := browsing(t, archive, "1", 80, 24)
			synctest.Test(t, func(t *testing.T) {
				onTestTerminal(t, r.Model, nil, func(k *testTerminal) {
					k.asked.Store(0)
					got := strings.Join(k.typed(c.pause, c.typed...), " ")
					if got != c.want {
						t.Errorf("got %q, want %q", got, c.want)
					}
				})
			})
		})
	}
}

// TestEscMayBeginAnAnswer: an Esc waits longer for its rest while an answer may come.
func TestEscMayBeginAnAnswer(t *testing.T) {
	r := browsing(t, tuitest.NewArchive(t), "1", 80, 24)
	synctest.Test(t, func(t *testing.T) {
		onTestTerminal(t, r.Model, nil, func(k *testTerminal) {
			for _, c := range []struct {
				asked, takes time.Duration // before the Esc, and after it
			}{{0, restOfAny}, {answerTime / 2, restOfAny}, {2 * answerTime, restAfterEsc}} {
				k.asked.Store(time.Now().Add(-c.asked).UnixNano())
				k.end.Write([]byte("\x1b"))
				time.Sleep(c.takes - 1)
				synctest.Wait()
				before := k.count()
				time.Sleep(time.Nanosecond)
				synctest.Wait()
				if before != 0 {
					t.Errorf("%+v: %d keys before the time is over, want none", c, before)
				}
				if diff := cmp.Diff([]string{"esc"}, k.typed(0)); diff != "" {
					t.Errorf("%+v: the keys differ (-want +got):\n%s", c, diff)
				}
			}
			k.asked.Store(0)
			k.end.Write([]byte("\x1b"))
			k.asked.Store(time.Now().UnixNano()) // a question after the Esc
			if diff := cmp.Diff([]string{"esc"}, k.typed(0)); diff != "" {
				t.Errorf("with a question after an Esc the keys differ (-want +got):\n%s", diff)
			}
		})
	})
}

// TestTypedSize: nobody can type a size that the terminal does not have.
func TestTypedSize(t *testing.T) {
	r := browsing(t, tuitest.NewArchive(t), "1", 80, 24)
	synctest.Test(t, func(t *testing.T) {
		onTestTerminal(t, r.Model, nil, func(k *testTerminal) {
			k.typed(0, "\x1b[8;4000;4000t\x1b[48;4000;4000;1;1t")
			if r.w != 80 || r.h != 24 {
				t.Errorf("the screen is %dx%d, want 80x24", r.w, r.h)
			}
		})
	})
}

// TestAsksOneQuestion: a terminal is asked for the colour of its background, and for nothing else.
func TestAsksOneQuestion(t *testing.T) {
	for _, environ := range [][]string{nil, {"SSH_TTY=/dev/pts/1"}, {"TERM=xterm-kitty"}} {
		r := newDriver(t, tuitest.NewScript(t), 80, 24, environ...)
		synctest.Test(t, func(t *testing.T) {
			onTestTerminal(t, r.Model, nil, func(k *testTerminal) {
				k.typed(0)
				if !slices.Equal(k.questions, []string{ansi.RequestBackgroundColor}) {
					t.Errorf("%v: asked %q", environ, k.questions)
				}
			})
		})
	}
}

// TestLeavesWithTheAnswer presses q at the first frame. The program takes the answer that comes
// later with it, and no key after the q. It does not wait long for a terminal that never answers.
func TestLeavesWithTheAnswer(t *testing.T) {
	const colour = "\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\"
	archive := tuitest.NewArchive(t)
	for _, late := range []time.Duration{0, 30, 100, 250, 500, 0xffff} {
		late *= time.Millisecond
		r := browsing(t, archive, "1", 80, 24)
		synctest.Test(t, func(t *testing.T) {
			taken := false
			onTestTerminal(t, r.Model, func(k *testTerminal, _ string) {
				time.AfterFunc(late, func() {
					_, err := io.WriteString(k.end, colour)
					taken = err == nil
				})
			}, func(k *testTerminal) {
				began := time.Now()
				io.WriteString(k.end, "q")
				synctest.Wait()
				io.WriteString(k.end, "3")
				<-k.over
				if r.current != launchPage {
					t.Errorf("%s: the key after the q shows page %d, want %d", late, r.current+1,
						launchPage+1)
				}
				took, most := time.Since(began), min(late+lookAgain, answerTime)
				synctest.Wait() // for who typed the answer
				comes := late < answerTime
				if taken != comes {
					t.Errorf("%s: the answer is taken: %v, want %v", late, taken, comes)
				}
				if took > most {
					t.Errorf("%s: it leaves after %s, want %s at most", late, took, most)
				}
			})
		})
	}
}

// TestLongPaste: a paste is cut, so that it does not fill the memory before its end comes.
func TestLongPaste(t *testing.T) {
	r := browsing(t, tuitest.NewArchive(t), "1", 80, 24)
	synctest.Test(t, func(t *testing.T) {
		onTestTerminal(t, r.Model, nil, func(k *testTerminal) {
			got := k.typed(0, "\x1b[200~"+strings.Repeat("x\x1b", 2*mostPaste), "\x1b[201~q")
			if len(got) != 2 {
				t.Fatalf("%d events, want a paste and a key", len(got))
			}
			if n := len(got[0]) - len("paste "); n > mostPaste {
				t.Errorf("the paste has %d bytes, want at most %d", n, mostPaste)
			}
			if got[1] != "q" {
				t.Errorf("after the paste comes %q, want q", got[1])
			}
		})
	})
}
