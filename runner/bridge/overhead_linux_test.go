package bridge_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"drolab/dro/nn"
	"drolab/dro/peertest"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/runner/train"
)

var pairs = flag.Int("pairs", 5, "pairs of processes of TestOverheadForLong")

// TestOverheadForLong compares ResNet-18 through the bridge with the bare loop in PyTorch, on the
// same batches: without and with a second draw, as in ERM and SFK. It reports the processor time of
// each and asserts nothing, since machines are busy. Neighbours slow both alike within a turn, so
// ratios are taken turn by turn, in either order. The place of its memory makes a process slow or
// fast for its whole life, so a sample is the median of a new pair.
func TestOverheadForLong(t *testing.T) {
	testsize.OnlyLong(t, "measures ResNet-18")
	words := []string{"folder=" + pictures(t), "width=64"}
	ratios := map[bool][]float64{}
	for pair := range *pairs {
		t.Run(fmt.Sprint(pair), func(t *testing.T) {
			for fresh, ratio := range pairOf(t, words) {
				ratios[fresh] = append(ratios[fresh], ratio)
			}
		})
	}
	for _, fresh := range []bool{false, true} {
		list := ratios[fresh]
		mean, squares := measure.Mean(list), 0.
		for _, x := range list {
			squares += (x - mean) * (x - mean)
		}
		n := float64(len(list))
		t.Logf("second draw %v: of %d pairs the mean %.4f, its standard error %.4f: %.4f", fresh,
			*pairs, mean, math.Sqrt(squares/(n-1)/n), list)
	}
}

// pictures returns a folder with files in the form of CIFAR-10.
func pictures(t *testing.T) string {
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
	return folder
}

// pairOf starts a program and a bare loop, and returns the median ratio of their times, without and
// with a second draw.
func pairOf(t *testing.T, words []string) map[bool]float64 {
	const batch, turns = 32, 7
	program := must(filepath.Abs("python/examples/cifar_resnet18.py"))(t)
	// Whether memory is given back at each step is chance: page faults take up to 8 % of a step.
	env := append(python(t).Program.Env, "CUDA_VISIBLE_DEVICES=",
		"MALLOC_TRIM_THRESHOLD_=8000000000", "MALLOC_MMAP_THRESHOLD_=8000000000")
	bare := newBare(t, env, append([]string{program}, words...))
	net, d := through(t, env, program, words, batch)
	both := append(children(os.Getpid()), os.Getpid())
	rng := rand.New(rand.NewPCG(1, 2))
	medians := map[bool]float64{}
	for _, fresh := range []bool{false, true} {
		var ratios []float64
		for turn := range turns + 1 {
			step := bareStep{Batch: rng.Perm(d.Train.Len())[:batch]}
			if fresh {
				step.Fresh = rng.Perm(d.Train.Len())[:batch]
			}
			var through, alone float64
			for half := range 2 {
				if half == turn%2 {
					through = measured(t, both, net, step)
				} else {
					alone = bare.measure(t, step)
				}
			}
			if turn > 0 { // the first one is slower
				ratios = append(ratios, through/alone)
			}
		}
		slices.Sort(ratios)
		medians[fresh] = ratios[turns/2]
		t.Logf("second draw %v: %.4f", fresh, ratios)
	}
	return medians
}

// bareStep holds the samples of a step of the loop, and of its second draw.
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

// measured takes a step through the bridge and returns the processor time of the processes in of,
// in seconds: the program and this one. The bare loop, which is idle, uses none.
func measured(t *testing.T, of []int, n *bridge.Network, s bareStep) float64 {
	t.Helper()
	losses, w := make([]float64, len(s.Batch)), make([]float64, len(s.Batch))
	for i := range w {
		w[i] = 1
	}
	ask := func(index []int, mode nn.Mode) {
		b := loader.Batch{N: len(index), Index: index}
		n.Losses(losses, train.Batch{Split: runner.SplitTrain, Mode: mode, Batch: &b}, nil)
	}
	before := processor(of)
	ask(s.Batch, nn.Train)
	n.Gradient(w, false)
	n.Step(train.Rule{SGD: nn.SGD{LR: .01, Momentum: .9}})
	if s.Fresh != nil {
		ask(s.Fresh, nn.Probe)
	}
	if err := n.Err(); err != nil {
		t.Fatal(err)
	}
	return processor(of) - before
}

// processor returns the processor time that processes have used, in seconds.
func processor(of []int) (seconds float64) {
	for _, pid := range of {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, path := range threads {
			b, _ := os.ReadFile(path) // empty for a thread that has ended
			ns, _, _ := strings.Cut(string(b), " ")
			v, _ := strconv.ParseFloat(ns, 64)
			seconds += v / 1e9
		}
	}
	return seconds
}

// bare is the loop in PyTorch without drolab.
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

func (b *bare) measure(t *testing.T, step bareStep) (processor float64) {
	t.Helper()
	if err := b.in.Encode(step); err != nil {
		t.Fatalf("the bare loop takes no step: %v", err)
	}
	if !b.out.Scan() {
		t.Fatalf("the bare loop has ended: %v", b.out.Err())
	}
	if err := json.Unmarshal(b.out.Bytes(), &processor); err != nil {
		t.Fatal(err)
	}
	return processor
}
