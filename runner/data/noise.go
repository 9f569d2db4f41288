package data

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// relabelled is a source some of whose labels are wrong on purpose. Where no
// groups are given, groups are the classes and follow the label.
type relabelled struct {
	Source
	labels []uint32
	groups bool // are given, and stay
}

func (s *relabelled) Label(i int) int { return int(s.labels[i]) }

func (s *relabelled) Group(i int) int {
	if s.groups {
		return s.Source.Group(i)
	}
	return s.Label(i)
}

// relabelledImages keeps a loader's way to the bytes.
type relabelledImages struct {
	relabelled
	images ImageSource
}

func (s *relabelledImages) Pixels(buf []byte, i int) []byte { return s.images.Pixels(buf, i) }

// mislabel sets the labels of round(share·n) of the n training samples to
// another class, uniformly, by seed alone: the same for every method and run.
// It comes after cap, imbalance and hold-out, so that the share is of what is
// trained on and what is held out stays right.
func (d *Dataset) mislabel(share float64, seed uint64) {
	n := d.Train.Len()
	wanted := int(math.Round(share * float64(n)))
	if wanted == 0 || len(d.Classes) < 2 { // one class has no other
		return
	}
	d.Notes = append(d.Notes,
		fmt.Sprintf("label_noise: %d of %d training labels are set to another class", wanted, n))
	rng := rand.New(rand.NewPCG(seed, purposeMislabel))
	labels := make([]uint32, n)
	for i := range labels {
		label := d.Train.Label(i)
		// Knuth's algorithm S: every set of so many samples is as likely.
		if rng.IntN(n-i) < wanted {
			wanted--
			label = (label + 1 + rng.IntN(len(d.Classes)-1)) % len(d.Classes)
		}
		labels[i] = uint32(label)
	}
	wrong := relabelled{d.Train, labels, d.Grouped}
	if images, ok := d.Train.(ImageSource); ok {
		d.Train = &relabelledImages{wrong, images}
		return
	}
	d.Train = &wrong
}
