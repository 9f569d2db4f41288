package bridge_test

import (
	"encoding/binary"
	"encoding/gob"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"drolab/dro"
	_ "drolab/dro/memtest"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/bridge/testdata/client"
	"drolab/runner/bridge/testdata/zygote"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/data/source"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// TestMain makes the test binary the program that its runs train, or a drolab that is killed.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // each process holds a few megabytes only
	switch {
	case os.Getenv(zygoteEnv) != "":
		os.Exit(zygote.StandIn(os.Getenv(zygoteEnv)))
	case os.Getenv("DROLAB_PIPES") != "":
		os.Exit(program())
	case os.Getenv(nativeEnv) != "":
		os.Exit(trainPictured(os.Getenv(nativeEnv)))
	case os.Getenv(resumedEnv) != "":
		os.Exit(trainResumed(os.Getenv(resumedEnv)))
	case os.Getenv(killedEnv) != "":
		os.Exit(trainKilled(os.Getenv(killedEnv)))
	}
	flag.Set("test.parallel", "8") // most tests wait for a patience; the command line may say more
	os.Exit(withScript(m.Run))
}

// withScript runs the tests while a script stands for this binary.
func withScript(run func() int) int {
	if runtime.GOOS == "windows" {
		return run()
	}
	dir, err := os.MkdirTemp("", "drolab-script-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, filepath.Base(self()))
	text := "#!/bin/sh\nexec '" + self() + "' \"$@\"\n"
	err = errors.Join(os.WriteFile(path, []byte(text), 0o700), os.Setenv(programEnv, path))
	if err != nil {
		panic(err)
	}
	return run()
}

func program() int {
	c, err := client.Pipes()
	var m client.Model = newTrouble(&served{}, c)
	if n, _ := strconv.Atoi(os.Getenv("DROLAB_TEST_TABLE")); n > 0 {
		m = &client.Table{Samples: n}
	}
	if err == nil {
		err = client.Main(c, m)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// served is drolab's own network as somebody else's program, on data that it opens itself.
type served struct {
	net    train.Network
	data   *data.Dataset
	spec   spec.Spec
	n      int     // samples of the last losses
	mode   nn.Mode // the mode asked for
	logs   int     // number of names with values of its own
	names  []string
	values []float64
	moving chan float64
	moved  chan [2]float64
}

func (s *served) Hello(q client.Question) (map[string]any, []bridge.Array, error) {
	s.spec = spec.Defaults()
	s.spec.Model, s.spec.Dataset = "linear", "csv:example"
	s.spec.Seed, s.spec.Batch, s.spec.ValFraction = q.Seed, q.Batch, held
	s.logs, _ = strconv.Atoi(fmt.Sprint(q.Settings["logs"]))
	s.log("setup", 7)
	var err error
	if s.data, err = source.Open(s.spec.Dataset, s.spec.DataOptions("")); err != nil {
		return nil, nil, err
	}
	if s.net, err = train.Native(&s.spec, s.data, 1); err != nil {
		return nil, nil, err
	}
	var arrays []bridge.Array
	sizes := map[string]int{}
	for _, split := range []string{"train", "val", "test"} {
		src := train.Source(s.data, split)
		sizes[split] = src.Len()
		labels, groups := make([]int32, src.Len()), make([]int32, src.Len())
		for i := range labels {
			labels[i], groups[i] = int32(src.Label(i)), int32(src.Group(i))
		}
		arrays = append(arrays, int32s(labels), int32s(groups))
	}
	width := s.net.(train.LastLayer).Width()
	if q.Settings["headless"] != nil {
		width = 0
	}
	return map[string]any{"version": 2, "samples": sizes, "classes": s.data.Classes,
		"features": width, "groups": s.data.Groups, "parameters": 7, "restart": true,
		"accumulate": true, "pick": true,
		"procs": q.Settings["alone"] == nil, "device": "cpu",
		"packages": map[string]string{"gorgonia": "\x1b[31mred"},
		"higher":   []string{"a b"}, "lower": []string{"batch"}}, arrays, nil
}

// log sends a value of its own with the next answer.
func (s *served) log(name string, value float64) {
	if s.logs > 0 {
		s.names, s.values = append(s.names, name), append(s.values, value)
	}
}

// Logged implements client.Logger.
func (s *served) Logged() (names []string, values []float64) {
	names, values, s.names, s.values = s.names, s.values, nil, nil
	return names, values
}

func int32s(x []int32) bridge.Array {
	a := bridge.Array{Type: bridge.Int32}
	for _, v := range x {
		a.Raw = append(a.Raw, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return a
}

func (s *served) SetMode(mode string) {
	s.mode = map[string]nn.Mode{"train": nn.Train, "evaluate": nn.Evaluate, "probe": nn.Probe}[mode]
}

func (s *served) Losses(split string, _ uint64, index []int) []float64 {
	src := train.Source(s.data, split)
	s.n = len(index)
	b := loader.Batch{N: s.n, Index: index, Labels: make([]int, s.n), Groups: make([]int, s.n),
		X: make([]float32, s.n*src.Shape().Len())}
	for j, i := range index {
		b.Labels[j], b.Groups[j] = src.Label(i), src.Group(i)
		src.Read(b.X[j*src.Shape().Len():][:src.Shape().Len()], i)
	}
	losses := make([]float64, s.n)
	s.net.Losses(losses, train.Batch{Split: split, Mode: s.mode, Batch: &b}, nil)
	if split == "train" && s.n == s.spec.Batch {
		s.log("batch", measure.Mean(losses))
		for i := 2; i < s.logs; i++ {
			s.log(fmt.Sprintf("\x1b[2J\u202e%d", i), 1)
		}
	}
	if split == "test" { // an evaluation
		s.log("a b", losses[0])
		s.log("nothing", math.NaN())
	}
	return losses
}

func (s *served) Outputs(want string) bridge.Array {
	switch want {
	case "classes":
		classes := make([]int, s.n)
		s.net.Outputs(train.Outputs{Classes: classes})
		narrow := make([]int32, s.n)
		for i, c := range classes {
			narrow[i] = int32(c)
		}
		return int32s(narrow)
	case "probabilities":
		each := make([]float32, s.n*len(s.data.Classes))
		s.net.Outputs(train.Outputs{Probabilities: each})
		a := bridge.Array{Type: bridge.Float32}
		for _, p := range each {
			a.Raw = binary.LittleEndian.AppendUint32(a.Raw, math.Float32bits(p))
		}
		return a
	default:
		sure := make([]float64, s.n)
		s.net.Outputs(train.Outputs{Confidences: sure})
		return bridge.Floats(sure)
	}
}

// Features implements client.Shower.
func (s *served) Features() bridge.Array {
	last := s.net.(train.LastLayer)
	a := bridge.Array{Type: bridge.Float32}
	rows := make([][]float32, s.n)
	for i := range rows {
		rows[i] = make([]float32, last.Width())
	}
	last.Features(rows)
	for _, x := range slices.Concat(rows...) {
		a.Raw = binary.LittleEndian.AppendUint32(a.Raw, math.Float32bits(x))
	}
	return a
}

// Layer implements client.Shower.
func (s *served) Layer() (weights, biases []float64) {
	l := s.net.(train.LastLayer).Layer()
	return slices.Concat(l.Weights...), l.Bias
}

// SetLayer implements client.Shower.
func (s *served) SetLayer(weights, biases []float64) {
	rows := slices.Collect(slices.Chunk(weights, len(weights)/len(biases)))
	s.net.(train.LastLayer).SetLayer(dro.Layer{Weights: rows, Bias: biases})
}

func (s *served) Gradient(weights []float64, add bool) { s.net.Gradient(weights, add) }
func (s *served) Norm() float64                        { return s.net.GradNorm() }

func ruleOf(rule []float64) train.Rule {
	return train.Rule{SGD: nn.SGD{LR: rule[0], Momentum: rule[1], WeightDecay: rule[2],
		Clip: rule[3]}}
}

func (s *served) Step(rule []float64) (norm float64, skipped bool) {
	norm, taken := s.net.Step(ruleOf(rule))
	return norm, !taken
}

// Accumulate stops a step where the step asks how far to go.
func (s *served) Accumulate(rule []float64) (norm, velocity float64) {
	at, done := make(chan float64), make(chan float64, 1)
	s.moving, s.moved = make(chan float64), make(chan [2]float64)
	r := ruleOf(rule)
	r.Advance = func(velocity, _ float64) float64 {
		at <- velocity
		return <-s.moving
	}
	// The norm is known before the step is: it is the norm of the gradient.
	norm = s.net.GradNorm()
	go func() {
		n, _ := s.net.Step(r)
		done <- n
		s.moved <- [2]float64{n}
	}()
	return norm, <-at
}

func (s *served) Advance(rate float64) {
	s.moving <- rate
	<-s.moved
}

func (s *served) Restart() { s.net.Restart() }

func (s *served) Pick() { s.net.Pick() }
func (s *served) Swap() { s.net.Swap() }

func (s *served) Save(folder string) error {
	var state runner.State
	if err := s.net.Save(&state); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(folder, "deep"), 0o700); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(folder, "deep", "all"))
	if err != nil {
		return err
	}
	defer f.Close()
	return gob.NewEncoder(f).Encode([][]nn.Tensor{state.Parameters, state.Velocities,
		state.Buffers, state.Picked})
}

func (s *served) Load(folder string) error {
	f, err := os.Open(filepath.Join(folder, "deep", "all"))
	if err != nil {
		return err
	}
	defer f.Close()
	var all [][]nn.Tensor
	if err := gob.NewDecoder(f).Decode(&all); err != nil {
		return err
	}
	return s.net.Load(&runner.State{Parameters: all[0], Velocities: all[1], Buffers: all[2],
		Picked: all[3]})
}

// trouble is a program that misbehaves at one question. The environment says how, at which kind of
// question, at which one of that kind, and in which of several processes.
type trouble struct {
	*served
	conn       *bridge.Conn
	what, at   string
	left, rank int
}

const troubleEnv = "DROLAB_TEST_TROUBLE"

func newTrouble(s *served, c *bridge.Conn) client.Model {
	t := &trouble{served: s, conn: c}
	fmt.Sscan(os.Getenv(troubleEnv), &t.what, &t.at, &t.left, &t.rank)
	if rank, _ := strconv.Atoi(os.Getenv("RANK")); rank != t.rank {
		t.what = map[string]string{"stall": "wait", "desert": "lose"}[t.what]
	}
	return t
}

// now reports whether it is time for the trouble, and does any trouble that ends the program.
func (t *trouble) now(question string) bool {
	if question != t.at {
		return false
	}
	if t.left--; t.left != 0 {
		return false
	}
	switch t.what {
	case "wait":
		t.conn.Send(map[string]any{"alive": true, "waits": true})
		select {}
	case "lose":
		t.conn.Send(map[string]any{"error": "connection closed", "lost": true})
		select {}
	case "hang", "stall":
		fmt.Println("hangs")
		select {}
	case "exit", "desert":
		fmt.Fprintln(os.Stderr, "Traceback\x1b[2J\nMemoryError: no \x1b[31mroom")
		os.Exit(3)
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "orphan":
		syscall.Kill(os.Getppid(), syscall.SIGKILL)
	case "both":
		syscall.Kill(os.Getppid(), syscall.SIGKILL)
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "flood":
		for range 1 << 10 {
			fmt.Println(strings.Repeat("\x1b[31mflood ", 1<<10))
		}
	case "garbage":
		os.NewFile(4, "").WriteString(strings.Repeat("Epoch 1: loss 0.3\n", 10))
	case "long":
		head := `{"arrays":[["f8",134217728]]}`
		b := binary.LittleEndian.AppendUint32(nil, uint32(len(head)))
		b = binary.LittleEndian.AppendUint32(b, bridge.MostBody)
		b = append(binary.LittleEndian.AppendUint32(b, bridge.Magic), head...)
		for zeros := make([]byte, 1<<20); ; b = zeros {
			if _, err := os.NewFile(4, "").Write(b); err != nil {
				select {}
			}
		}
	case "chatter":
		fmt.Println("hangs")
		for tick := time.Tick(10 * time.Millisecond); ; <-tick {
			t.conn.Send(map[string]any{"alive": true})
		}
	case "say":
		t.conn.Send(map[string]any{"error": "CUDA error:\n out \x1b[1mof"})
	case "alive":
		t.conn.Send(map[string]any{"alive": true})
	case "deaf": // it closes its pipes and lives on
		os.NewFile(3, "").Close()
		os.NewFile(4, "").Close()
		select {}
	}
	return true
}

// wrong spoils numbers, if that is the trouble.
func (t *trouble) wrong(question string, x []float64) []float64 {
	if t.now(question) {
		switch t.what {
		case "short":
			return x[:len(x)-1]
		case "nan":
			x[0] = math.NaN()
		}
	}
	return x
}

func (t *trouble) Hello(q client.Question) (map[string]any, []bridge.Array, error) {
	head, arrays, err := t.served.Hello(q)
	if t.now("hello-" + q.Purpose) {
		switch t.what {
		case "short":
			arrays[0].Raw = arrays[0].Raw[:len(arrays[0].Raw)-4]
		case "nan":
			arrays[0].Raw[0] = 99
		case "other":
			head["classes"] = []string{"yes", "no"}
		}
	}
	return head, arrays, err
}

func (t *trouble) Losses(split string, epoch uint64, index []int) []float64 {
	return t.wrong("losses", t.served.Losses(split, epoch, index))
}

func (t *trouble) Outputs(want string) bridge.Array {
	a := t.served.Outputs(want)
	if t.now("outputs") {
		switch t.what {
		case "short":
			a.Raw = a.Raw[:len(a.Raw)-8]
		case "nan":
			a.Raw[0] = 99
		}
	}
	return a
}

func (t *trouble) Features() bridge.Array {
	a := t.served.Features()
	if t.now("features") {
		switch t.what {
		case "short":
			a.Raw = a.Raw[:len(a.Raw)-4]
		case "nan":
			copy(a.Raw, "\xff\xff\xff\xff")
		}
	}
	return a
}

func (t *trouble) Layer() (weights, biases []float64) {
	weights, biases = t.served.Layer()
	return t.wrong("layer", weights), biases
}

func (t *trouble) Gradient(weights []float64, add bool) {
	t.now("gradient")
	t.served.Gradient(weights, add)
}

func (t *trouble) Norm() float64 { return t.wrong("norm", []float64{t.served.Norm(), 0})[0] }

func (t *trouble) Step(rule []float64) (norm float64, skipped bool) {
	norm, _ = t.served.Step(rule)
	if t.now("step") {
		switch t.what {
		case "nan":
			norm = math.NaN()
		case "skip":
			return math.Inf(1), true
		}
	}
	return norm, false
}

func (t *trouble) Save(folder string) error {
	err := t.served.Save(folder)
	if !t.now("save") {
		return err
	}
	switch t.what {
	case "link":
		return os.Symlink("/etc/passwd", filepath.Join(folder, "passwd"))
	case "hole":
		return os.Truncate(filepath.Join(folder, "deep", "all"), 1<<40)
	case "zeros":
		return os.Truncate(filepath.Join(folder, "deep", "all"), 1<<30)
	}
	return err
}

func (t *trouble) Load(folder string) error {
	t.now("load")
	return t.served.Load(folder)
}
