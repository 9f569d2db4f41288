package dro

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Layer is the last layer of a network: the logits of features f are W f + b.
type Layer struct {
	Weights [][]float64 // [class][feature]
	Bias    []float64   // [class]
}

// Held holds the samples that a last layer is fitted to, in the order of their split. The features
// of a sample are the input of the network's last layer, in evaluation mode.
type Held struct {
	Features       [][]float32 // [sample][feature]; nil: not known yet
	Labels, Groups []int       // Groups has the classes where no groups are given
	Keys           []uint32    // as in Task, for these samples
}

// at returns the samples that index lists.
func (h *Held) at(index []int) (some Held) {
	for _, i := range index {
		if h.Features != nil {
			some.Features = append(some.Features, h.Features[i])
		}
		some.Labels = append(some.Labels, h.Labels[i])
		some.Groups = append(some.Groups, h.Groups[i])
		if h.Keys != nil {
			some.Keys = append(some.Keys, h.Keys[i])
		}
	}
	return some
}

// Splits returns the samples of a split.
type Splits func(split string) (Held, error)

// Refitter is a Trainer whose method refits the last layer, once, when training is over.
type Refitter interface {
	// RefitsOn returns the samples that the layer is fitted to. A validation split that is fitted
	// to measures nothing any more.
	RefitsOn() FitTo
	// CheckHeld returns the error that Refit would return for the samples of its split, as far as
	// their labels, groups and keys tell. So a run is refused before its first step. The samples
	// may lack their features. The error is a *FewError, or says what is wrong with the keys.
	CheckHeld(held Held, seed uint64) error
	// Refit returns the layer that replaces old, and a clause for people that says how it was
	// found. It asks for the samples of the splits that it needs. Random choices depend on the seed
	// alone. It calls between before each pass of a fit, and ends with its error. After a refit
	// Refitted returns true, which is part of State: a run that is interrupted before that begins
	// the refit again.
	Refit(
		old Layer, of Splits, seed uint64, between func(Fit) error,
	) (to Layer, how string, err error)
	Refitted() bool
}

// Fit is the place of a fit among all fits of a refit: its number, counted from 1.
type Fit struct{ Number, Of int }

// fits counts the fits of a refit.
type fits struct {
	at      Fit
	between func(Fit) error // of Refit
}

// next goes on to the next fit, and returns what that calls before each of its passes.
func (f *fits) next() (between func() error) {
	f.at.Number++
	at := f.at
	return func() error { return f.between(at) }
}

// FewError says that the samples which a last layer would be fitted to have too few of a class.
type FewError struct {
	Class, Samples, Least int
	Of                    string // names the samples
}

func (e *FewError) Error() string {
	return fmt.Sprintf("%s: %d of class %d, expected at least %d", e.Of, e.Samples, e.Class,
		e.Least)
}

// FitTo says which samples a last layer is fitted to.
type FitTo struct {
	Split   string  // "val" or "train"
	Share   float64 // of the split
	Instead bool    // of the validation split, which lacks a group
}

// The splits of FitTo.
const (
	valSplit   = "val"
	trainSplit = "train"
)

// refitBase is the part that refitters share: ERM, until the last layer is fitted again.
type refitBase struct {
	ermTrainer
	on   FitTo
	done bool
}

// RefitsOn implements Refitter.
func (r *refitBase) RefitsOn() FitTo { return r.on }

// CheckHeld implements Refitter.
func (r *refitBase) CheckHeld(Held, uint64) error { return nil }

// Refitted implements Refitter.
func (r *refitBase) Refitted() bool { return r.done }

// After implements Trainer. A fork of a refitted run trains on, and is refitted again.
func (r *refitBase) After(Batch, Step) { r.done = false }

// State implements Trainer.
func (r *refitBase) State() State {
	if !r.done {
		return State{}
	}
	return State{Numbers: map[string]float64{"refitted": 1}}
}

// Restore implements Trainer.
func (r *refitBase) Restore(s State) error {
	r.done = s.Numbers["refitted"] == 1
	return nil
}

// errFewKeys is the error of samples that cannot be divided, since too many have one key.
var errFewKeys = errors.New("too many of them have the same value in the column of split_by=")

// drawKeys marks about a share of the samples, and all samples of a key or none. It takes the keys
// in a random order, and each that brings the number of marked samples nearer to the share.
func drawKeys(rng *rand.Rand, keys []uint32, share float64) []bool {
	var order []uint32 // the keys as they first occur
	count := map[uint32]int{}
	for _, k := range keys {
		if count[k] == 0 {
			order = append(order, k)
		}
		count[k]++
	}
	rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	marked, missing := map[uint32]bool{}, share*float64(len(keys))
	for _, k := range order {
		if n := float64(count[k]); n < 2*missing {
			marked[k] = true
			missing -= n
		}
	}
	flags := make([]bool, len(keys))
	for i, k := range keys {
		flags[i] = marked[k]
	}
	return flags
}

// class returns the class with the greatest logit of the features, the first of equals.
func (l *Layer) class(features []float64) int {
	best, most := 0, math.Inf(-1)
	for k := range l.Weights {
		if u := l.logit(k, features); cmp.Less(most, u) {
			best, most = k, u
		}
	}
	return best
}

// logit returns the logit of class k.
func (l *Layer) logit(k int, features []float64) float64 {
	u := l.Bias[k]
	for j, x := range features {
		u += l.Weights[k][j] * x
	}
	return u
}

// rows returns the features as float64, sample by sample.
func (h *Held) rows() [][]float64 {
	rows := make([][]float64, len(h.Features))
	for i, f := range h.Features {
		rows[i] = make([]float64, len(f))
		for j, v := range f {
			rows[i][j] = float64(v)
		}
	}
	return rows
}
