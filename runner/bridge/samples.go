package bridge

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/train"
)

// scriptSamples holds samples as a script gives them. Its memory is used again, message after
// message.
type scriptSamples struct {
	batch      dro.Batch
	correct    []int
	confidence []float64
	ordered    bool // whether the script gave indices
}

// sampleNeeds says what a script must give with its samples besides their losses.
type sampleNeeds struct{ label, group, index bool }

// take checks samples and takes them in. The names of their arrays are in has, in the order of the
// arrays.
func (g *scriptSamples) take(
	s *Script, split string, has []string, arrays []Array, n sampleNeeds,
) error {
	if len(has) != len(arrays) || len(has) == 0 || has[0] != "losses" {
		return fmt.Errorf("%w: %d arrays, of which it names %d: expected losses and what else it "+
			"names",
			errFormat, len(arrays), len(has))
	}
	b, size := &g.batch, arrays[0].Len()
	if size == 0 {
		return errors.New("there are no losses")
	}
	b.Losses = resize(b.Losses, size)
	if err := arrays[0].Floats(b.Losses); err != nil {
		return fmt.Errorf("losses: %w", err)
	}
	for i, l := range b.Losses {
		if math.IsNaN(l) || math.IsInf(l, 0) {
			return fmt.Errorf("the loss of its sample %d is %v: lower lr, or look at this sample",
				i, l)
		}
	}
	for _, list := range []*[]int{&b.Labels, &b.Groups, &b.Index} {
		*list = resize(*list, size)
		clear(*list)
	}
	g.correct, g.confidence, g.ordered = g.correct[:0], nil, slices.Contains(has, "index")
	for i, name := range has[1:] {
		if err := g.one(s, split, name, arrays[i+1]); err != nil {
			return fmt.Errorf("%s: %w", runner.OneLine(name, mostName), err)
		}
	}
	switch {
	case n.label && !slices.Contains(has, "label"):
		return errors.New("give label: the method, or a figure per class, looks at it")
	case n.group && !slices.Contains(has, "group"):
		return errors.New("give group: the method, or a figure per group, looks at it")
	case n.index && !g.ordered:
		return errors.New("give index, the samples' places in the training split: the method " +
			"looks at it")
	case !s.data.Grouped:
		copy(b.Groups, b.Labels)
	}
	return nil
}

// one takes in one array behind the losses.
func (g *scriptSamples) one(s *Script, split, name string, a Array) error {
	b, size := &g.batch, len(g.batch.Losses)
	switch name {
	case "label":
		return ofKinds("label", "class", a.Ints(b.Labels, len(s.data.Classes)))
	case "group":
		if !s.data.Grouped {
			return errors.New("the run has no groups: give them to drolab.Data, as in " +
				"train=(labels, groups)")
		}
		return ofKinds("group", "group", a.Ints(b.Groups, len(s.data.Groups)))
	case "index":
		counted := train.Source(s.data, split).Len()
		if counted > 0 {
			return a.Ints(b.Index, counted)
		}
		err := a.Ints(b.Index, size) // a test split that the script never counted
		if wrong, ok := errors.AsType[*outsideError](err); ok {
			return fmt.Errorf("%d samples of the %s split came, and one of them is sample %d: "+
				"give each once", size, split, wrong.value)
		}
		return err
	case "correct":
		g.correct = resize(g.correct, size)
		return a.Ints(g.correct, 2)
	case "confidence":
		g.confidence = make([]float64, size)
		if err := a.Floats(g.confidence); err != nil {
			return err
		}
		for i, c := range g.confidence {
			if !(c >= 0 && c <= 1) {
				return fmt.Errorf("the probability of its sample %d is %v: expected 0 to 1", i, c)
			}
		}
		return nil
	}
	return errors.New("an array that drolab does not know")
}

// ofKinds adds the remedy to the error of labels or groups where the run has one kind of them: its
// script has not said that there are more.
func ofKinds(array, kind string, err error) error {
	if wrong, ok := errors.AsType[*outsideError](err); ok && wrong.below == 1 {
		return fmt.Errorf("sample %d has the %s %d, and the run has one %s: give drolab.Data "+
			"the %s of each sample, as in train=(labels, groups), or %s_counts", wrong.element,
			array, wrong.value, kind, kind, kind)
	}
	return err
}

// evaluate takes in a pass over a split.
func (s *Script) evaluate(m *scriptMessage, arrays []Array) error {
	if !slices.Contains(runner.Splits(), m.Split) {
		return fmt.Errorf("split %.40q: expected train, val or test", m.Split)
	}
	src := train.Source(s.data, m.Split)
	trained := m.Split == runner.SplitTrain
	if src == nil {
		return errors.New("the run has no validation split: give it to drolab.Data, as val=")
	}
	var g scriptSamples
	n := sampleNeeds{label: len(s.data.Classes) > 1, group: s.data.Grouped}
	if err := g.take(s, m.Split, m.Has, arrays, n); err != nil {
		return err
	}
	switch {
	case (trained || src.Len() > 0) && len(g.batch.Losses) != src.Len():
		return fmt.Errorf("%d samples of the %s split came, which has %d: give each once",
			len(g.batch.Losses), m.Split, src.Len())
	case !trained && len(g.correct) == 0:
		return errors.New("give probability, or correct: which samples are classified correctly")
	}
	p := &measure.Pass{Losses: g.batch.Losses, Labels: g.batch.Labels, Groups: g.batch.Groups,
		Confidences: g.confidence}
	for _, c := range g.correct {
		p.Correct = append(p.Correct, c == 1)
	}
	if g.ordered {
		if err := inOrder(p, g.batch.Index); err != nil {
			return err
		}
	}
	if err := s.checkCounts(m.Split, &g); err != nil {
		return err
	}
	s.run.AddPass(m.Split, p)
	return nil
}

// checkCounts compares the labels and groups of a whole split with the numbers that drolab.start
// gave: shares of groups, and what is too small to measure, come from those numbers.
func (s *Script) checkCounts(split string, g *scriptSamples) error {
	if train.Source(s.data, split).Len() == 0 { // a test split that the script never counted
		return nil
	}
	m := s.run.Meta
	err := sameCounts("label", "class", split, g.batch.Labels, *m.ClassCounts.Of(split))
	if err == nil && s.data.Grouped {
		err = sameCounts("group", "group", split, g.batch.Groups, *m.GroupCounts.Of(split))
	}
	return err
}

// sameCounts returns an error unless each kind has as many samples as were counted.
func sameCounts(array, kind, split string, of, counted []int) error {
	came := make([]int, len(counted))
	for _, k := range of {
		came[k]++
	}
	for k, n := range came {
		if n != counted[k] {
			return fmt.Errorf("%d samples of the %s split have the %s %d, and %s_counts says %d: "+
				"give drolab.Data the labels or counts of this split", n, split, array, k, kind,
				counted[k])
		}
	}
	return nil
}

// inOrder puts a pass into the order of its split. Each index is below the number of samples.
func inOrder(p *measure.Pass, index []int) error {
	seen := make([]bool, len(index))
	for _, i := range index {
		if seen[i] {
			return fmt.Errorf("sample %d came twice: give each once", i)
		}
		seen[i] = true
	}
	p.Losses, p.Labels, p.Groups = permute(p.Losses, index), permute(p.Labels, index),
		permute(p.Groups, index)
	p.Correct, p.Confidences = permute(p.Correct, index), permute(p.Confidences, index)
	return nil
}

// permute puts each value of x at its place; a nil x stays nil.
func permute[T any](x []T, at []int) []T {
	if x == nil {
		return nil
	}
	y := make([]T, len(x))
	for i, v := range x {
		y[at[i]] = v
	}
	return y
}

// resize returns memory for n values, in x if its capacity allows.
func resize[T any](x []T, n int) []T { return slices.Grow(x[:0], n)[:n] }

// needsOf returns what the run's method needs to know of samples.
func needsOf(r *train.Run) (n sampleNeeds) {
	_, n.index = r.Method.Trainer.(dro.Epochal)
	m, err := dro.Find(r.Meta.Spec.Algorithm())
	if err == nil && m.Uses != "" {
		n.group, n.label = r.Data.Grouped, !r.Data.Grouped || m.Uses == "labels"
	}
	return n
}
