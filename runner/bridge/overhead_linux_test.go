package bridge_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"drolab/dro/nn"
	"drolab/dro/peertest"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/data"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// TestOverheadForLong measures ResNet-18 through the bridge against the bare loop in PyTorch, in
// turns on the same batches: without and with a second draw, as ERM and SFK have it. It says how
// long, and asserts nothing, since machines are busy.
func TestOverheadForLong(t *testing.T) {
	if !*long {
		t.Skip("takes minutes: -long")
	}
	const batch, steps, turns = 64, 1, 9
	folder := t.TempDir()
	for i := range 6 {
		name := fmt.Sprintf("data_batch_%d.bin", i)
		if i == 0 {
			name = "test_batch.bin"
		}
		records := make([]byte, 64*(1+3*32*32))
		for j := range records {
			records[j] = byte(rand.IntN(10))
		}
		if err := os.WriteFile(filepath.Join(folder, name), records, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := must(filepath.Abs("python/examples/cifar_resnet18.py"))(t)
	env := append(python(t).Program.Env, "CUDA_VISIBLE_DEVICES=")
	words := []string{"folder=" + folder, "width=64"}
	bare := newBare(t, env, append([]string{program}, words...))
	net, d := through(t, env, program, words, batch)

	rng := rand.New(rand.NewPCG(1, 2))
	for _, fresh := range []bool{false, true} {
		var wall, processor []float64
		for range turns {
			list := make([]bareStep, steps)
			for i := range list {
				list[i].Batch = rng.Perm(d.Train.Len())[:batch]
				if fresh {
					list[i].Fresh = rng.Perm(d.Train.Len())[:batch]
				}
			}
			w, p := measured(t, net, list)
			bw, bp := bare.measure(t, list)
			wall, processor = append(wall, w/bw), append(processor, p/bp)
			t.Logf("second draw %v: bridge %.3f s, bare %.3f s; processor %.3f s, %.3f s",
				fresh, w, bw, p, bp)
		}
		slices.Sort(wall)
		slices.Sort(processor)
		t.Logf("second draw %v: medians of the ratios of %d turns: wall %.4f, processor %.4f",
			fresh, turns, wall[turns/2], processor[turns/2])
	}
}

// bareStep is a step of the loop, and the samples of its second draw.
type bareStep struct {
	Batch []int `json:"batch"`
	Fresh []int `json:"fresh"`
}

// through starts the program as a run does.
func through(
	t *testing.T, env []string, program string, words []string, batch int,
) (*bridge.Network, *data.Dataset) {
	s := spec.Defaults()
	s.Batch, s.ProgramPatience = batch, 600
	p := spec.Program{Path: program, Words: words}
	start := bridge.Start{Program: p, Spec: &s, Python: peertest.Python(t, "torch"), Env: env,
		Threads: 1, Purpose: bridge.Training}
	if err := start.Outside(); err != nil {
		t.Fatal(err)
	}
	asked := start
	d := must(bridge.Describe(t.Context(), asked))(t)
	if err := start.Outside(); err != nil {
		t.Fatal(err)
	}
	n := must(bridge.NewNetwork(start, d.Data))(t)
	t.Cleanup(n.Close)
	return n, d.Data
}

// measured takes steps through the bridge: seconds of wall, and of the program's processor and
// of this process's.
func measured(t *testing.T, n *bridge.Network, list []bareStep) (wall, processor float64) {
	before, began := ticks(os.Getpid()), time.Now()
	for _, pid := range children(os.Getpid()) {
		before += ticks(pid)
	}
	for _, s := range list {
		losses, w := make([]float64, len(s.Batch)), make([]float64, len(s.Batch))
		for i := range w {
			w[i] = 1
		}
		ask := func(index []int) {
			b := data.Batch{N: len(index), Index: index}
			n.Losses(losses, train.Batch{Split: runner.SplitTrain, Batch: &b}, nil)
		}
		n.SetMode(nn.Train)
		ask(s.Batch)
		n.Gradient(w, false)
		n.Step(train.Rule{SGD: nn.SGD{LR: .01, Momentum: .9}})
		if s.Fresh != nil {
			n.SetMode(nn.Probe)
			ask(s.Fresh)
		}
	}
	wall = time.Since(began).Seconds()
	if n.Err() != nil {
		t.Fatal(n.Err())
	}
	after := ticks(os.Getpid())
	for _, pid := range children(os.Getpid()) {
		after += ticks(pid)
	}
	return wall, (after - before) / 100
}

// ticks are those of the processor that a process has had: a hundredth of a second each.
func ticks(pid int) (n float64) {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(b), ") ")
	if f := strings.Fields(rest); len(f) > 12 {
		for _, text := range f[11:13] {
			v, _ := strconv.ParseFloat(text, 64)
			n += v
		}
	}
	return n
}

// bare is the loop without drolab.
type bare struct {
	in  *json.Encoder
	out *bufio.Scanner
}

func newBare(t *testing.T, env, args []string) *bare {
	cmd := exec.Command(peertest.Python(t, "torch"), append([]string{"pythontest/peer/bare.py"},
		args...)...)
	cmd.Env, cmd.Stderr = env, os.Stderr
	in := must(cmd.StdinPipe())(t)
	out := must(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	b := &bare{json.NewEncoder(in), bufio.NewScanner(out)}
	if !b.out.Scan() {
		t.Fatal("the bare loop does not begin")
	}
	return b
}

func (b *bare) measure(t *testing.T, list []bareStep) (wall, processor float64) {
	t.Helper()
	if err := b.in.Encode(list); err != nil || !b.out.Scan() {
		t.Fatal("the bare loop has ended", err)
	}
	var took [2]float64
	if err := json.Unmarshal(b.out.Bytes(), &took); err != nil {
		t.Fatal(err)
	}
	return took[0], took[1]
}
