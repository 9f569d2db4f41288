//go:build unix

package pythontest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"drolab/runner/bridge"
)

// TestWrongSetups: a mistake ends in one line that names its cure. The line is the answer and the
// last line of standard error.
func TestWrongSetups(t *testing.T) {
	for which, want := range map[string]string{
		"nothing":      "end setup with return",
		"split":        "the splits are train, val and test",
		"no-test":      "no split test",
		"empty":        "give it samples, or leave it out",
		"floats":       "or for regression keep your own loop",
		"negative":     "number them from 0",
		"classes":      "the split test has label 9, and there are 2 classes",
		"groups":       "the split train has groups and test has none",
		"iterable":     "an iterable does not have",
		"sample":       "no x, y and no x, y, group",
		"no-model":     "set self.model",
		"no-optimizer": "set self.optimizer",
		"setting":      "write width=... behind the program's name",
		"device":       "write .to(self.device)",
		"exits":        "sys.exit('enough')",
		"outputs":      "give it as many outputs",
		"mean":         `use reduction="none"`,
		"short":        "losses gave the shape (3,) for 4 samples",
		"detached":     "without detach and no_grad",
		"nan":          "is nan: lower lr",
		"raises":       "KeyError: 'a mistake\\nof two lines' (wrong.py, line",
		"stream":       "keep your own loop for it, with drolab.start",
		"one-hot":      "the label of a sample of train has the shape (2,): give the number of",
		"metadata":     "set self.grouper to a grouper of WILDS",
		"no-label":     "has the keys target, input_ids, of which none is label or labels",
		"role":         "fields has the role 'label': the roles are x, y",
		"no-field":     "fields has 'labels' for y, which a sample of train does not have",
		"forms":        "let all data sets give the same",
		"head":         "self.head is Sequential and no plain nn.Linear",
		"no-bias":      "self.head is Linear and no plain nn.Linear with a bias",
		"head-outside": "self.head is no part of self.model",
		"head-classes": "self.head has 3 outputs, and the labels have 2 classes",
		"head-loss":    "the class writes loss: leave out one of them",
		"head-never":   "forward uses self.head 0 times",
		"head-twice":   "forward uses self.head 2 times",
		"head-scaled":  "forward returns other outputs than those of self.head",
		"numpy":        "one whole number for each sample",
	} {
		t.Run(which, func(t *testing.T) {
			p := start(t, "peer/wrong.py", which)
			p.tell(greeting(nil))
			said, _ := p.answer()
			if said["error"] == nil {
				p.tell(losses("train", 0), bridge.Ints([]int{0, 1, 2, 3}))
				said, _ = p.answer()
			}
			line, _ := said["error"].(string)
			wantLine(t, "the answer", line, want)
			if status := <-p.ended; status != 1 {
				t.Errorf("the program ends with the status %d, want 1", status)
			}
			printed := lines(p.printed())
			if which != "raises" && which != "exits" && len(printed) != 1 {
				t.Errorf("the program prints %q, want one line", printed)
			}
		})
	}
}

// wantLine fails unless an error is one line that contains want.
func wantLine(t *testing.T, what, line, want string) {
	t.Helper()
	if !strings.Contains(line, want) {
		t.Errorf("%s: error %q, want one with %q", what, line, want)
	}
	if strings.Contains(line, "\n") {
		t.Errorf("%s: error %q, want one line", what, line)
	}
}

// TestWorkersErrors: an error in a worker names the sample.
func TestWorkersErrors(t *testing.T) {
	for _, workers := range []string{"workers=0", "workers=2"} {
		p := begin(t, job, workers, "fails=11")
		p.tell(losses("train", 0), bridge.Ints([]int{10, 11, 12}))
		said, _ := p.answer()
		const want = "sample 11 of train cannot be read: OSError: no such picture (job.py, line"
		line, _ := said["error"].(string)
		wantLine(t, workers, line, want)
		<-p.ended
	}
}

// TestByHand: a program that drolab did not start says how to start it, and one of several
// processes that somebody else has started is refused.
func TestByHand(t *testing.T) {
	status, text := order(t, job)
	if status != 2 {
		t.Errorf("status %d, want 2", status)
	}
	if want := "drolab starts this program: drolab run"; !strings.Contains(text, want) {
		t.Errorf("it prints %q, want it to have %q", text, want)
	}
	for _, words := range [][]string{{}, {"procs=3"}} {
		log := filepath.Join(t.TempDir(), "log")
		p := startIn(t, map[string]string{"WORLD_SIZE": "2"}, log, job, words...)
		p.tell(greeting(nil, words...))
		said, _ := p.answer()
		line, _ := said["error"].(string)
		wantLine(t, fmt.Sprint(words), line, "write procs=N behind")
	}
}

// TestEnds: when drolab is killed, the program and its workers end; when the program is killed, its
// workers end. All of them hold the program's standard error.
func TestEnds(t *testing.T) {
	for name, kill := range map[string]func(*program){
		"drolab": func(p *program) {
			p.out.Close()
			p.in.Close()
		},
		"the program": func(p *program) { must(t, syscall.Kill(p.pid, syscall.SIGKILL)) },
	} {
		log := filepath.Join(t.TempDir(), "log")
		must(t, syscall.Mkfifo(log, 0o600))
		all := make(chan string)
		go func() {
			text, _ := os.ReadFile(log) // to the end of the last process that holds it
			all <- string(text)
		}()
		p := startLogged(t, log, job, "workers=3")
		p.ask(greeting(nil, "workers=3"))
		trained(p, 0, 1)
		kill(p)
		<-p.ended
		if text := <-all; strings.Contains(text, "Traceback") {
			t.Errorf("%s is killed: the others print a traceback, want none:\n%s", name, text)
		}
	}
}

// TestLongQuestions: a program refuses a question that is longer than it can be before it comes.
func TestLongQuestions(t *testing.T) {
	long := func(head, body uint32) []byte {
		b := binary.LittleEndian.AppendUint32(nil, head)
		b = binary.LittleEndian.AppendUint32(b, body)
		return binary.LittleEndian.AppendUint32(b, bridge.Magic)
	}
	for _, c := range []struct {
		greeted bool
		begin   []byte
		want    string
	}{
		{false, long(2, 8), "it declares 2 and 8 bytes: expected at most 1048576 and 0"},
		{false, long(1<<20+1, 0), "it declares 1048577 and 0 bytes: expected at most 1048576 and " +
			"0"},
		{true, long(2, 1<<30), "it declares 2 and 1073741824 bytes: expected at most 65536 and " +
			"65536"},
		{true, long(1<<16+1, 0), "it declares 65537 and 0 bytes: expected at most 65536 and 65536"},
	} {
		p := start(t, "../python/examples/numpy_softmax.py")
		if c.greeted {
			p.ask(greeting(nil))
		}
		_, err := p.out.Write(c.begin)
		must(t, err)
		status := <-p.ended
		if status != 1 {
			t.Errorf("%v: status %d, want 1", c.begin, status)
		}
		said := lines(p.printed())
		if len(said) != 1 {
			t.Fatalf("%v: it prints %q, want one line", c.begin, said)
		}
		wantLine(t, fmt.Sprint(c.begin), said[0], c.want)
	}
}

// sent returns the bytes of a conversation, frame by frame.
func sent(t *testing.T) [][]byte {
	t.Helper()
	var list [][]byte
	add := func(head message, arrays ...bridge.Array) {
		var b strings.Builder
		must(t, bridge.NewConn(strings.NewReader(""), &b).Send(head, arrays...))
		list = append(list, []byte(b.String()))
	}
	index := bridge.Ints([]int{0, 3, 5, 9})
	add(greeting(nil))
	add(mode("train"))
	add(message{"do": "next", "split": "train", "epoch": 0}, index)
	add(losses("train", 0), index)
	add(message{"do": "outputs", "want": []string{"classes", "probabilities"}})
	add(message{"do": "gradient", "add": false}, bridge.Floats(ramp(4, 2)))
	add(message{"do": "norm"})
	add(message{"do": "step"}, rule(0.1, 1))
	add(message{"do": "save", "folder": t.TempDir()})
	return list
}

// mutate changes a frame: a bit, a byte, a length, a cut, or a piece left out or repeated.
func mutate(r *rand.Rand, b []byte) []byte {
	b = append([]byte{}, b...)
	switch r.IntN(5) {
	case 0:
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	case 1:
		b[r.IntN(len(b))] = byte(r.IntN(256))
	case 2:
		binary.LittleEndian.PutUint32(b[4*r.IntN(3):], r.Uint32())
	case 3:
		b = b[:r.IntN(len(b))]
	default:
		at := r.IntN(len(b))
		b = append(b[:at:at], b[r.IntN(len(b)):]...)
	}
	return b
}

// TestMutatedFrames: whatever comes instead of a frame, the program ends with one line when its
// pipe does, and never prints a trace.
func TestMutatedFrames(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	good := sent(t)
	count := 1000
	if testing.Short() {
		count = 50
	}
	kinds := map[string]int{}
	for i := range count {
		at := r.IntN(len(good))
		p := start(t, "../python/examples/numpy_softmax.py")
		done := make(chan bool)
		go func() { // takes the answers, because a full pipe would block the program
			defer close(done)
			for {
				var head message
				if _, err := p.Receive(&head, bridge.MostHead, bridge.MostBody); err != nil {
					return
				}
			}
		}()
		for j, b := range good {
			if j == at {
				b = mutate(r, b)
			}
			if _, err := p.out.Write(b); err != nil {
				break // it has ended already
			}
		}
		p.out.Close()
		status := <-p.ended
		<-done
		p.in.Close()
		said := lines(p.printed())
		if status != 1 {
			t.Fatalf("mutation %d of frame %d: status %d, want 1: %q", i, at, status, said)
		}
		if len(said) != 1 || !strings.HasPrefix(said[0], "drolab: ") {
			t.Fatalf("mutation %d of frame %d: it prints %q, want one line of drolab's", i, at,
				said)
		}
		kinds[said[0]]++
	}
	if len(kinds) < 10 {
		t.Errorf("%d kinds of ends, want 10 or more: %v", len(kinds), kinds)
	}
}
