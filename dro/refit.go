package dro

// Layer is the last layer of a network: the logits of features f are W f + b.
type Layer struct {
	Weights [][]float64 // [class][feature]
	Bias    []float64   // [class]
}

// Held holds the samples that a last layer is fitted to, in the order of their split. The features
// of a sample are the input of the network's last layer, in evaluation mode.
type Held struct {
	Features       [][]float32 // [sample][feature]
	Labels, Groups []int       // Groups has the classes where no groups are given
}

// only returns the samples that are flagged.
func (h *Held) only(flags []bool) (some Held) {
	for i, is := range flags {
		if is {
			some.Features = append(some.Features, h.Features[i])
			some.Labels = append(some.Labels, h.Labels[i])
			some.Groups = append(some.Groups, h.Groups[i])
		}
	}
	return some
}

// Refitter is a Trainer whose method refits the last layer, once, when training is over.
type Refitter interface {
	// RefitsOn returns the split that the layer is fitted to, "val" or "train". A validation split
	// that is fitted to measures nothing any more.
	RefitsOn() string
	// Refit returns the layer that replaces at, and a clause for people that says how it was found.
	// Random choices depend on the seed alone. From then on Refitted returns true, which is part of
	// State: a run that is interrupted before that begins the refit again.
	Refit(at Layer, on Held, seed uint64) (to Layer, how string, err error)
	Refitted() bool
}

// The splits of RefitsOn.
const (
	refitVal   = "val"
	refitTrain = "train"
)

// refitting is the part that refitters share: ERM, until the last layer is fitted again.
type refitting struct {
	uniform
	split string
	done  bool
}

// RefitsOn implements Refitter.
func (r *refitting) RefitsOn() string { return r.split }

// Refitted implements Refitter.
func (r *refitting) Refitted() bool { return r.done }

// After implements Trainer. A fork of a refitted run trains on, and is refitted again.
func (r *refitting) After(Batch, Step) { r.done = false }

// State implements Trainer.
func (r *refitting) State() State {
	if !r.done {
		return State{}
	}
	return State{Numbers: map[string]float64{"refitted": 1}}
}

// Restore implements Trainer.
func (r *refitting) Restore(s State) error {
	r.done = s.Numbers["refitted"] == 1
	return nil
}
