package engine_test

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/data/source"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// held is the share of the training samples that makes up the validation split.
const held = .25

// native returns a brief spec of a method for drolab's own loop.
func native(a dro.Algorithm) spec.Spec {
	s := spec.Defaults()
	s.Algorithms, s.Dataset, s.Model = []dro.Algorithm{a}, "csv:example", "linear"
	s.Batch, s.BatchZ, s.Epochs, s.LogEvery = 32, 40, 3, 1
	s.WeightDecay, s.Clip, s.Augment = 1e-3, dro.Fixed(2), false
	s.ValFraction, s.Select, s.CheckpointKeep = held, spec.SelectValWorst, 100
	if m, _ := dro.Find(a); m != nil && m.ReadsKey("jtt_epochs") {
		s.SetOwn("jtt_epochs", dro.Fixed(1))
	}
	return s
}

// statedSettings returns the settings of native that a script states.
func statedSettings(a dro.Algorithm) map[string]any {
	list := map[string]any{"method": a, "batch": 32, "epochs": 3, "log_every": 1,
		"weight_decay": 1e-3, "clip": 2, "select": spec.SelectValWorst, "checkpoint_keep": 100}
	m, err := dro.Find(a)
	if err == nil && m.ReadsKey("jtt_epochs") {
		list["jtt_epochs"] = 1
	}
	if err == nil && m.ReadsKey("batch_z") {
		list["batch_z"] = 40
	}
	return list
}

// script is a script with the same loop as native's run, on drolab's own network.
type script struct {
	*bridge.Conn
	spec     spec.Spec
	data     *data.Dataset
	net      train.Network
	x, z     *loader.Loader
	step     int
	messages int
	trouble  func(messages int) // called before each message
	opening  map[string]any
	onDevice bool // it computes weights itself, by the form of an uncertainty set
	weighed  []weighedBatch
	without  string                    // the thing that it does not give
	grows    int64                     // the size of a file with a hole that it saves, if not 0
	instead  func(folder string) error // what it does in place of saving, unless nil
	hear     scriptAnswer
}

// scriptAnswer is an answer of any kind.
type scriptAnswer struct {
	Error, Folder, ID, Form              string
	Fresh, Stop, Save, Restart, Selected bool
	Step                                 int64
	Epoch                                int
}

// refused is an error that drolab answers.
type refused struct{ text string }

func (r refused) Error() string { return r.text }

func newScript(in io.Reader, out io.Writer, a dro.Algorithm) (*script, error) {
	s := &script{Conn: bridge.NewConn(in, out), spec: native(a), trouble: func(int) {}}
	var err error
	if s.data, err = source.Open(s.spec.Dataset, s.spec.DataOptions("")); err != nil {
		return nil, err
	}
	if s.net, err = train.Native(&s.spec, s.data, 1); err != nil {
		return nil, err
	}
	o := loader.Options{Mean: s.data.Mean, Std: s.data.Std, Seed: s.spec.Seed, Batch: 32,
		Stream: 1}
	if s.x, err = loader.NewEpochs(s.data.Train, o); err != nil {
		return nil, err
	}
	o.Batch, o.Stream = 40, 2
	s.z, err = loader.NewDraws(s.data.Train, o)
	counts := func(of func(data.Marked, int) []int, kinds int) map[string][]int {
		table := map[string][]int{}
		for _, split := range runner.Splits() {
			table[split] = of(train.Source(s.data, split), kinds)
		}
		return table
	}
	samples := map[string]int{}
	for _, split := range runner.Splits() {
		samples[split] = train.Source(s.data, split).Len()
	}
	s.opening = map[string]any{"do": "start", "version": 2, "name": "test",
		"settings": statedSettings(a), "samples": samples, "classes": s.data.Classes,
		"restart":         true,
		"class_counts":    counts(data.ClassCounts, len(s.data.Classes)),
		"steps_per_epoch": s.data.Train.Len() / 32,
		"packages":        map[string]string{"x": "\x1b[31mred"}}
	if s.data.Grouped {
		s.opening["groups"] = s.data.Groups
		s.opening["group_counts"] = counts(data.GroupCounts, len(s.data.Groups))
	}
	return s, err
}

// ask sends a message and returns the arrays of its answer.
func (s *script) ask(head any, arrays ...bridge.Array) ([]bridge.Array, error) {
	if err := s.tell(head, arrays...); err != nil {
		return nil, err
	}
	s.hear = scriptAnswer{}
	got, err := s.Receive(&s.hear, bridge.MostHead, bridge.MostBody)
	if err == nil && s.hear.Error != "" {
		err = refused{s.hear.Error}
	}
	return got, err
}

func (s *script) tell(head any, arrays ...bridge.Array) error {
	s.messages++
	s.trouble(s.messages)
	return s.Send(head, arrays...)
}

// message returns a question about samples.
func message(do, split string, has ...string) map[string]any {
	return map[string]any{"do": do, "split": split, "has": has}
}

// run runs the whole loop.
func (s *script) run() error {
	if _, err := s.ask(s.opening); err != nil {
		return err
	}
	epoch := s.hear.Epoch
	s.step = int(s.hear.Step)
	if s.hear.Folder != "" {
		if err := s.load(s.hear.Folder); err != nil {
			return err
		}
	}
	perEpoch := s.data.Train.Len() / 32
	for ; epoch < s.spec.Epochs; epoch++ {
		for s.step < (epoch+1)*perEpoch {
			if err := s.take(); err != nil {
				return err
			}
			if s.step%5 == 0 && s.step%perEpoch > 0 {
				if err := s.checkpoint(); err != nil {
					return err
				}
			}
			if s.hear.Stop {
				_, err := s.ask(map[string]any{"do": "end", "status": "stopped"})
				return err
			}
		}
		if err := s.endEpoch(); err != nil {
			return err
		}
	}
	_, err := s.ask(map[string]any{"do": "end", "status": "done"})
	return err
}

func (s *script) samples(b *loader.Batch, losses []float64) []bridge.Array {
	return []bridge.Array{bridge.Floats(losses), bridge.Ints(b.Labels), bridge.Ints(b.Index)}
}

// take takes a step.
func (s *script) take() error {
	b := s.x.Next()
	losses := make([]float64, b.N)
	s.net.Losses(losses, train.Batch{Split: runner.SplitTrain, Batch: b}, nil)
	has, arrays := []string{"losses", "label", "index"}, s.samples(b, losses)
	if s.data.Grouped {
		has, arrays = append(has, "group"), append(arrays, bridge.Ints(b.Groups))
	}
	weights, rate, err := s.weights(losses, has, arrays)
	if err != nil {
		return err
	}
	s.weighed = append(s.weighed, weighedBatch{losses, slices.Clone(weights)})
	s.net.Gradient(weights, false)
	norm, _ := s.net.Step(train.Rule{SGD: nn.SGD{LR: rate, Momentum: s.spec.Momentum,
		WeightDecay: s.spec.WeightDecay, Clip: 2}})
	if s.without == "grad_norm" {
		norm = math.NaN()
	}
	s.step++
	m, drawn := message("step", ""), []bridge.Array{bridge.Floats([]float64{rate, norm})}
	if s.onDevice {
		m, drawn = message("step", "", has...), append(drawn, arrays...)
	}
	if s.hear.Fresh {
		z := train.Batch{Split: runner.SplitTrain, Mode: nn.Probe, Batch: s.z.Next()}
		losses = make([]float64, z.N)
		var part loader.Batch
		for from := 0; from < z.N; from += 32 {
			s.net.Losses(losses[from:], z.Part(&part, from, min(from+32, z.N)), nil)
		}
		fresh := []string{"losses", "label", "index"}
		drawn = append(drawn, s.samples(z.Batch, losses)...)
		if s.data.Grouped {
			fresh, drawn = append(fresh, "group"), append(drawn, bridge.Ints(z.Groups))
		}
		m["fresh"] = fresh
	}
	return s.tell(m, drawn...)
}

// weights returns the weights of a batch and the step size.
func (s *script) weights(
	losses []float64, has []string, arrays []bridge.Array,
) (weights []float64, rate float64, err error) {
	if s.onDevice {
		has, arrays = nil, nil
	}
	got, err := s.ask(message("weights", "", has...), arrays...)
	if err != nil {
		return nil, 0, err
	}
	weights = make([]float64, got[0].Len())
	alpha := make([]float64, 1)
	if err := errors.Join(got[0].Floats(weights), got[1].Floats(alpha)); err != nil || !s.onDevice {
		return weights, alpha[0], err
	}
	weight := documentedForms[s.hear.Form].weight
	if weight == nil {
		return nil, 0, fmt.Errorf("%d numbers of the form %q", len(weights), s.hear.Form)
	}
	numbers := weights
	weights = nil
	for _, l := range losses {
		weights = append(weights, weight(l, numbers))
	}
	return weights, alpha[0], nil
}

// weighedBatch is a batch and its weights.
type weighedBatch struct{ losses, weights []float64 }

// endEpoch evaluates the splits, and resets the network if drolab asks for it.
func (s *script) endEpoch() error {
	for _, split := range []string{runner.SplitTest, runner.SplitVal, runner.SplitTrain} {
		if split == s.without {
			continue
		}
		m, arrays := s.pass(split)
		if split == runner.SplitTrain {
			m["do"] = "epoch"
		}
		if _, err := s.ask(m, arrays...); err != nil {
			return err
		}
	}
	if s.without == runner.SplitTrain {
		if _, err := s.ask(message("epoch", "")); err != nil {
			return err
		}
	}
	if s.hear.Restart {
		s.net.Restart()
	}
	return s.checkpoint()
}

// pass evaluates a split and returns the message. The samples are in reverse order: their indices
// say which sample is which.
func (s *script) pass(split string) (map[string]any, []bridge.Array) {
	src := train.Source(s.data, split)
	n := src.Len()
	loader, err := loader.NewSequential(src, loader.Options{Mean: s.data.Mean, Std: s.data.Std,
		Batch: 32})
	if err != nil {
		panic(err)
	}
	losses, sure := make([]float64, n), make([]float64, n)
	index, labels, groups, right := make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	classes := make([]int, 32)
	for from := 0; from < n; {
		b := loader.Next()
		s.net.Losses(losses[from:], train.Batch{Split: split, Mode: nn.Evaluate, Batch: b}, nil)
		s.net.Outputs(train.Outputs{Classes: classes, Confidences: sure[from:]})
		for i := range b.N {
			at := from + i
			index[at], labels[at], groups[at] = at, b.Labels[i], b.Groups[i]
			if classes[i] == b.Labels[i] {
				right[at] = 1
			}
		}
		from += b.N
	}
	for _, list := range [][]int{index, labels, groups, right} {
		slices.Reverse(list)
	}
	slices.Reverse(losses)
	slices.Reverse(sure)
	m := message("evaluate", split, "losses", "label", "index", "correct")
	arrays := []bridge.Array{bridge.Floats(losses), bridge.Ints(labels), bridge.Ints(index),
		bridge.Ints(right)}
	if split != runner.SplitTrain && s.without != "confidence" {
		m["has"] = append(m["has"].([]string), "confidence")
		arrays = append(arrays, bridge.Floats(sure))
	}
	if s.data.Grouped {
		m["has"] = append(m["has"].([]string), "group")
		arrays = append(arrays, bridge.Ints(groups))
	}
	return m, arrays
}

// savedState is the state that the script saves.
type savedState struct {
	Tensors [][]nn.Tensor
	X, Z    loader.State
}

func (s *script) checkpoint() error {
	stop := s.hear.Stop
	if _, err := s.ask(map[string]any{"do": "checkpoint"}); err != nil {
		return err
	}
	if s.instead != nil {
		err := s.instead(s.hear.Folder)
		s.hear.Stop = stop
		return err
	}
	var state runner.State
	if err := s.net.Save(&state); err != nil {
		return err
	}
	var text bytes.Buffer
	err := gob.NewEncoder(&text).Encode(savedState{[][]nn.Tensor{state.Parameters, state.Velocities,
		state.Buffers}, s.x.State(), s.z.State()})
	if err == nil {
		err = os.WriteFile(filepath.Join(s.hear.Folder, "all"), text.Bytes(), 0o600)
	}
	if err == nil && s.grows > 0 {
		err = os.Truncate(filepath.Join(s.hear.Folder, "all"), s.grows)
	}
	if err == nil {
		_, err = s.ask(map[string]any{"do": "saved"})
	}
	s.hear.Stop = stop
	return err
}

func (s *script) load(folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, "all"))
	if err != nil {
		return err
	}
	var k savedState
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&k); err != nil {
		return err
	}
	return errors.Join(s.x.Restore(k.X), s.z.Restore(k.Z), s.net.Load(&runner.State{
		Parameters: k.Tensors[0], Velocities: k.Tensors[1], Buffers: k.Tensors[2]}))
}

// runWithTrouble runs a script that meets its trouble: what says which process is killed, and
// before which message.
func runWithTrouble(what string, server int, s *script) error {
	var kind string
	var at int
	fmt.Sscan(what, &kind, &at)
	s.trouble = func(n int) {
		if n != at {
			return
		}
		if kind != "script" {
			syscall.Kill(server, syscall.SIGKILL)
		}
		if kind != "server" {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	}
	return s.run()
}
