package bridge

// shuffles looks at the first epoch of a script with several ranks, to notice ranks that do not
// share out the training split: they shuffle it each in its own way, or each takes all of it. It
// can look only where the script gives indices. Its memory is made once, for a step allocates
// nothing.
type shuffles struct {
	ranks int
	by    []uint16 // of each sample, 1 + the rank that gave it; 0: none has. nil: it is over
	given int      // samples
	own   int      // of these, samples that the same rank had given before
	other int      // and samples that another rank had given before
}

func newShuffles(ranks, samples int) shuffles {
	if ranks < 2 || ranks >= 1<<16 {
		return shuffles{}
	}
	return shuffles{ranks: ranks, by: make([]uint16, samples)}
}

// add takes in the indices of a batch, in which each rank's samples follow those of the rank before
// it. The ranks' parts count as equal, as samplers make them.
func (h *shuffles) add(index []int) {
	if h.by == nil {
		return
	}
	for i, at := range index {
		rank := uint16(1 + i*h.ranks/len(index))
		switch h.by[at] {
		case 0:
			h.by[at] = rank
		case rank:
			h.own++
		default:
			h.other++
		}
	}
	h.given += len(index)
}

// whole reports whether as many samples were given as the split has, which ends the epoch of a
// script that never calls end_epoch.
func (h *shuffles) whole() bool { return h.by != nil && h.given >= len(h.by) }

// endEpoch ends the look. It returns how many samples were given, how many of them are different
// ones, and whether ranks repeat what others gave. Ranks that draw with replacement also repeat
// their own samples: each of R ranks an Rth of what all repeat. Samplers that fill the last batches
// repeat a few samples.
func (h *shuffles) endEpoch() (given, different int, wrong bool) {
	given, different = h.given, h.given-h.own-h.other
	wrong = 10*h.other > given && h.other > 4*h.ranks*h.own
	*h = shuffles{}
	return given, different, wrong
}
