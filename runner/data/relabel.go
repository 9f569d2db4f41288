package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Relabelled is a source with other labels and groups: some labels are wrong on purpose, or the
// numbers of classes and groups are changed.
type Relabelled struct {
	Source
	labels, groups []uint32
}

func (s *Relabelled) Label(i int) int { return int(s.labels[i]) }

func (s *Relabelled) Group(i int) int { return int(s.groups[i]) }

// under returns the source of sample i, and its place there.
func (s *Relabelled) under(i int) (Source, int) { return s.Source, i }

// Cells are the parts of a dataset's groups, where these are label × group. The label of a cell is
// the label that is trained on.
type Cells struct {
	Label, Given []int    // for each of Dataset.Groups: its class, and its group as given
	Names        []string // of the groups as given
}

// relabelledImages is a Relabelled source of images that still gives a loader their bytes.
type relabelledImages struct {
	Relabelled
	images ImageSource
}

func (s *relabelledImages) Pixels(buf []byte, i int) []byte { return s.images.Pixels(buf, i) }

// Mislabel sets the labels of round(share·n) of the n training samples to another class, drawn
// uniformly by seed alone: the same for every method and run. It comes after cap, imbalance and
// hold-out, so that the share is of the samples that are trained on, and the held-out labels stay
// right.
func (d *Dataset) Mislabel(share float64, seed uint64) {
	n := d.Train.Len()
	wanted := int(math.Round(share * float64(n)))
	if wanted == 0 || len(d.Classes) < 2 { // one class has no other
		return
	}
	d.Notes = append(d.Notes,
		fmt.Sprintf("label_noise: %d of %d training labels are set to another class", wanted, n))
	rng := rand.New(rand.NewPCG(seed, purposeMislabel))
	labels, groups := make([]uint32, n), make([]uint32, n)
	groupOf := d.groupsByLabel()
	for i := range labels {
		label := d.Train.Label(i)
		// Knuth's algorithm S: every set of that size is equally likely.
		if rng.IntN(n-i) < wanted {
			wanted--
			label = (label + 1 + rng.IntN(len(d.Classes)-1)) % len(d.Classes)
		}
		labels[i], groups[i] = uint32(label), uint32(groupOf(d.Train.Group(i), label))
	}
	d.Train = Relabel(d.Train, labels, groups)
}

// Relabel gives a source other labels and groups.
func Relabel(src Source, labels, groups []uint32) Source {
	r := Relabelled{src, labels, groups}
	if images, ok := src.(ImageSource); ok {
		return &relabelledImages{r, images}
	}
	return &r
}

// groupsByLabel returns a function that gives the new group of a sample from its group and its new
// label. Groups that are classes or cells follow the label, and a cell without samples so far
// becomes a group; other groups stay.
func (d *Dataset) groupsByLabel() func(group, label int) int {
	switch {
	case !d.Grouped:
		return func(_, label int) int { return label }
	case d.Cells == nil:
		return func(group, _ int) int { return group }
	}
	c, place := d.Cells, map[[2]int]int{} // place: the group of a label and a given group
	for g := range c.Label {
		place[[2]int{c.Label[g], c.Given[g]}] = g
	}
	return func(group, label int) int {
		key := [2]int{label, c.Given[group]}
		g, ok := place[key]
		if !ok {
			g = len(d.Groups)
			place[key] = g
			d.Groups = append(slices.Clip(d.Groups), d.Classes[label]+" × "+c.Names[key[1]])
			c.Label, c.Given = append(c.Label, label), append(c.Given, key[1])
		}
		return g
	}
}
