package bridge

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"drolab/runner"
	"drolab/runner/bridge/internal/frame"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/train"
)

// given holds samples as a script gives them. Its memory is used again, message after message.
type given struct {
	batch      data.Batch
	losses     []float64
	correct    []int
	confidence []float64
	ordered    bool // whether the script gave indices
}

// needs says what a script must give with its samples besides their losses.
type needs struct{ label, group, index bool }

// take checks samples and takes them in. The names of their arrays are in has, in the order of the
// arrays.
func (g *given) take(s *Script, split string, has []string, arrays []frame.Array, n needs) error {
	if len(has) != len(arrays) || len(has) == 0 || has[0] != "losses" {
		return fmt.Errorf("%w: %d arrays, of which it names %d: want losses and what else it names",
			frame.ErrFormat, len(arrays), len(has))
	}
	b := &g.batch
	b.N = arrays[0].Len()
	if b.N == 0 {
		return errors.New("there are no losses")
	}
	g.losses = sized(g.losses, b.N)
	if err := arrays[0].Floats(g.losses); err != nil {
		return fmt.Errorf("losses: %w", err)
	}
	for i, l := range g.losses {
		if math.IsNaN(l) || math.IsInf(l, 0) {
			return fmt.Errorf("the loss of its sample %d is %v: lower lr, or look at this sample",
				i, l)
		}
	}
	b.Labels, b.Groups, b.Index = sized(b.Labels, b.N), sized(b.Groups, b.N), sized(b.Index, b.N)
	g.correct, g.confidence, g.ordered = g.correct[:0], nil, false
	lacks := n
	for i, name := range has[1:] {
		if err := g.one(s, split, name, arrays[i+1], &lacks); err != nil {
			return fmt.Errorf("%s: %w", clean(name, mostName), err)
		}
	}
	switch {
	case lacks.label:
		return errors.New("give label: the method, or a figure per class, looks at it")
	case lacks.group:
		return errors.New("give group: the method, or a figure per group, looks at it")
	case lacks.index:
		return errors.New("give index, the samples' places in the training split: the method " +
			"looks at it")
	}
	if !slices.Contains(has, "label") {
		clear(b.Labels)
	}
	if !slices.Contains(has, "index") {
		clear(b.Index)
	}
	if !s.data.Grouped {
		copy(b.Groups, b.Labels)
	} else if !slices.Contains(has, "group") {
		clear(b.Groups)
	}
	return nil
}

// one takes in one array behind the losses.
func (g *given) one(s *Script, split, name string, a frame.Array, lacks *needs) error {
	b := &g.batch
	switch name {
	case "label":
		lacks.label = false
		return a.Ints(b.Labels, len(s.data.Classes))
	case "group":
		if !s.data.Grouped {
			return errors.New("the run has no groups: give drolab.start group_counts")
		}
		lacks.group = false
		return a.Ints(b.Groups, len(s.data.Groups))
	case "index":
		lacks.index, g.ordered = false, true
		most := train.Source(s.data, split).Len()
		if most == 0 { // a test split that the script never counted
			most = b.N
		}
		return a.Ints(b.Index, most)
	case "correct":
		g.correct = sized(g.correct, b.N)
		return a.Ints(g.correct, 2)
	case "confidence":
		g.confidence = make([]float64, b.N)
		if err := a.Floats(g.confidence); err != nil {
			return err
		}
		for i, c := range g.confidence {
			if !(c >= 0 && c <= 1) {
				return fmt.Errorf("the probability of its sample %d is %v: want 0 to 1", i, c)
			}
		}
		return nil
	}
	return errors.New("an array that drolab does not know")
}

// evaluate takes in a pass over a split.
func (s *Script) evaluate(m *said, arrays []frame.Array) error {
	if !slices.Contains(runner.Splits(), m.Split) {
		return fmt.Errorf("split %.40q: want train, val or test", m.Split)
	}
	src := train.Source(s.data, m.Split)
	trained := m.Split == runner.SplitTrain
	if src == nil {
		return errors.New("the run has no validation split: give drolab.start its samples")
	}
	var g given
	lacks := needs{label: len(s.data.Classes) > 1, group: s.data.Grouped}
	if err := g.take(s, m.Split, m.Has, arrays, lacks); err != nil {
		return err
	}
	n := g.batch.N
	switch {
	case (trained || src.Len() > 0) && n != src.Len():
		return fmt.Errorf("%d samples of the %s split came, which has %d: give each once", n,
			m.Split, src.Len())
	case !trained && len(g.correct) == 0:
		return errors.New("give probability, or correct: which samples are classified " +
			"correctly")
	}
	p := &measure.Pass{Losses: g.losses, Labels: g.batch.Labels, Groups: g.batch.Groups,
		Confidences: g.confidence}
	for _, c := range g.correct {
		p.Correct = append(p.Correct, c == 1)
	}
	if g.ordered {
		if err := inOrder(p, g.batch.Index); err != nil {
			return err
		}
	}
	s.run.Give(m.Split, p)
	return nil
}

// inOrder puts a pass into the order of its split.
func inOrder(p *measure.Pass, index []int) error {
	seen := make([]bool, len(index))
	for _, i := range index {
		if i >= len(seen) || seen[i] {
			return fmt.Errorf("sample %d came twice: give each once", i)
		}
		seen[i] = true
	}
	p.Losses, p.Labels, p.Groups = placed(p.Losses, index), placed(p.Labels, index),
		placed(p.Groups, index)
	p.Correct, p.Confidences = placed(p.Correct, index), placed(p.Confidences, index)
	return nil
}

// placed puts each value of x at its place; a nil x stays nil.
func placed[T any](x []T, at []int) []T {
	if x == nil {
		return nil
	}
	y := make([]T, len(x))
	for i, v := range x {
		y[at[i]] = v
	}
	return y
}

// sized returns memory for n values, in x if x has the room.
func sized[T any](x []T, n int) []T {
	if n > cap(x) {
		return make([]T, n)
	}
	return x[:n]
}
