//go:build unix

package pythontest

import (
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner/bridge"

	"github.com/google/go-cmp/cmp"
)

// procs are the processes of a program that compute one run, as drolab starts and asks them.
type procs []*program

// beginProcs starts a program in several processes, or in one as begin does, and greets it.
func beginProcs(t *testing.T, n int, script string, words ...string) procs {
	t.Helper()
	if n == 1 {
		return procs{begin(t, script, words...)}
	}
	meeting, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	_, port, err := net.SplitHostPort(meeting.Addr().String())
	must(t, err)
	must(t, meeting.Close())
	words = append(words[:len(words):len(words)], fmt.Sprint("procs=", n))
	list := make(procs, n)
	for i := range list {
		list[i] = startIn(t, map[string]string{"RANK": fmt.Sprint(i), "LOCAL_RANK": fmt.Sprint(i),
			"WORLD_SIZE": fmt.Sprint(n), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port},
			filepath.Join(t.TempDir(), "log"), script, words...)
		list[i].tell(greeting(nil, words...))
	}
	for _, p := range list {
		said, _ := p.answer()
		if said["error"] != nil {
			t.Fatalf("hello is answered with the error %v\n%s", said["error"], p.printed())
		}
		if said["procs"] != true {
			t.Fatalf("hello is answered %v, want procs to be true\n%s", said, p.printed())
		}
	}
	return list
}

// part returns the part of a list that a process has.
func part[T any](list []T, i, n int) []T {
	up := func(k int) int { return (len(list)*k + n - 1) / n }
	return list[up(i):up(i+1)]
}

func (ps procs) tell(head message, arrays ...bridge.Array) {
	for _, p := range ps {
		p.tell(head, arrays...)
	}
}

// ask asks all processes, and returns the first array of each answer as one list.
func (ps procs) ask(head message, arrays ...bridge.Array) []float64 {
	ps.tell(head, arrays...)
	return ps.hear(head)
}

func (ps procs) hear(head message) (all []float64) {
	for _, p := range ps {
		p.t.Helper()
		said, got := p.answer()
		if said["error"] != nil {
			p.t.Fatalf("%v: %v\n%s", head, said["error"], p.printed())
		}
		if len(got) > 0 {
			values := make([]float64, got[0].Len())
			must(p.t, got[0].Floats(values))
			all = append(all, values...)
		}
	}
	return all
}

// losses asks each process about its part of samples.
func (ps procs) losses(split string, epoch int, index []int) []float64 {
	head := losses(split, epoch)
	for i, p := range ps {
		p.tell(head, bridge.Ints(part(index, i, len(ps))))
	}
	return ps.hear(head)
}

func (ps procs) gradient(weights []float64, add bool) {
	for i, p := range ps {
		p.tell(message{"do": "gradient", "add": add, "of": len(weights)},
			bridge.Floats(part(weights, i, len(ps))))
	}
}

// one asks all processes for numbers that they have in common.
func (ps procs) one(t *testing.T, head message, arrays ...bridge.Array) []float64 {
	t.Helper()
	all := ps.ask(head, arrays...)
	each := len(all) / len(ps)
	for i := range ps {
		if !slices.Equal(all[i*each:(i+1)*each], all[:each]) {
			t.Errorf("%v: the processes answer %v, want the same of each", head, all)
		}
	}
	return all[:each]
}

// train takes some steps of several kinds, with batches of at least so many samples, and returns
// all their numbers.
func (ps procs) train(t *testing.T, from, to, least int, accumulates bool) (list []float64) {
	t.Helper()
	for s := from; s < to; s++ {
		n := []int{32, 17, least}[s%3]
		ps.tell(mode("train"))
		list = append(list, ps.losses("train", s, places(s, n, 300))...)
		ps.gradient(ramp(n, float64(n)/2), false)
		switch {
		case accumulates:
			list = append(list, ps.one(t, message{"do": "accumulate"}, rule(0.02, .5))...)
			ps.ask(message{"do": "advance"}, bridge.Floats([]float64{.1}))
		case s%2 == 0:
			list = append(list, ps.one(t, message{"do": "norm"})...)
			fallthrough
		default:
			list = append(list, ps.one(t, message{"do": "step"}, rule(0.02, .5))...)
		}
		ps.tell(mode("probe"))
		list = append(list, ps.losses("train", s, places(s+1, n, 300))...)
	}
	// The gradient of an evaluation in two halves, before and behind its norm.
	ps.tell(mode("evaluate"))
	for half := range 2 {
		list = append(list, ps.losses("test", 0, places(half, 50, 100))...)
		ps.gradient(ramp(50, 50), half > 0)
		list = append(list, ps.one(t, message{"do": "norm"})...)
	}
	ps.tell(mode("train"))
	return list
}

// TestProcs: in several processes, a program has the numbers that it has in one: with batches in
// parts, half precision, averaged gradients, copies of the network and processes without samples.
func TestProcs(t *testing.T) {
	for _, words := range []string{"", "micro=5", "scaler=true", "accumulate", "workers=2"} {
		t.Run(words, func(t *testing.T) {
			var want []float64
			for n := 1; n <= 3; n++ {
				ps := beginProcs(t, n, job, append(strings.Fields(words), "dropout=0",
					"norm=false", "optimizer=sgd")...)
				got := ps.train(t, 0, 4, 2, words == "accumulate")
				ps.ask(message{"do": "pick"})
				got = append(got, ps.train(t, 4, 7, 2, words == "accumulate")...)
				ps.ask(message{"do": "swap"})
				got = append(got, ps.losses("val", 0, places(0, 31, 60))...)
				if want == nil {
					want = got
				}
				near(t, fmt.Sprintf("of %d processes number", n), got, want, 2e-5)
				for _, p := range ps {
					p.close()
				}
			}
		})
	}
}

// TestProcsResume: several processes that have loaded a checkpoint go on with the same bits, with
// dropout and running statistics, which are those of the first process.
func TestProcsResume(t *testing.T) {
	ps, folder := beginProcs(t, 2, job), t.TempDir()
	ps.train(t, 0, 3, 4, false)
	ps.ask(message{"do": "pick"})
	ps.train(t, 3, 5, 4, false)
	ps.ask(message{"do": "save", "folder": folder})
	further := func(ps procs) []float64 {
		list := ps.train(t, 5, 8, 4, false)
		ps.tell(mode("evaluate"))
		ps.ask(message{"do": "swap"})
		list = append(list, ps.losses("test", 0, places(0, 50, 100))...)
		for _, p := range ps {
			p.close()
		}
		return list
	}
	want := further(ps)
	again := beginProcs(t, 2, job)
	again.ask(message{"do": "load", "folder": folder})
	if diff := cmp.Diff(want, further(again)); diff != "" {
		t.Errorf("the numbers of the resumed processes differ (-want +got):\n%s", diff)
	}
}

// TestWaits: a process that is ready to add up gradients says that it waits, until all are.
func TestWaits(t *testing.T) {
	ps := beginProcs(t, 2, job)
	ps.losses("train", 0, places(0, 32, 300))
	ps.gradient(ramp(32, 16), false)
	for i, p := range ps {
		p.tell(message{"do": "step"}, rule(0.02, 0))
		var head message
		_, err := p.Receive(&head, bridge.MostHead, bridge.MostBody)
		must(t, err)
		if head["alive"] != true || head["waits"] != true {
			t.Errorf("process %d says %v, want alive and waits", i, head)
		}
	}
	if norms := ps.hear(nil); norms[0] != norms[1] {
		t.Errorf("the gradients have the norms %v, want the same of both processes", norms)
	}
}

// TestMoreProcsThanGPUs: each process needs a GPU of its own, or all of them the CPU.
func TestMoreProcsThanGPUs(t *testing.T) {
	for words, want := range map[string]string{
		"gpus procs=9":             "procs=9: PyTorch sees 8 GPUs: write procs=8, or add device",
		"gpus device=cuda procs=9": "procs=9: PyTorch sees 8 GPUs: write procs=8",
		"mps procs=2":              "procs=2 works on CPUs and with CUDA: add device=cpu",
		"gpus procs=9 device=cpu":  "",
	} {
		list := strings.Fields(words)
		p := start(t, "peer/wrong.py", list...)
		hello := greeting(nil, list...)
		hello["purpose"] = "describe"
		p.tell(hello)
		said, _ := p.answer()
		line, _ := said["error"].(string)
		if want == "" && line != "" {
			t.Errorf("%s: error %q, want none", words, line)
		}
		if !strings.Contains(line, want) {
			t.Errorf("%s: error %q, want one with %q", words, line, want)
		}
	}
}
