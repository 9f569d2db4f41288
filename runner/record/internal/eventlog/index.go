package eventlog

import (
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/measure"
)

// Index is a log in small: consecutive blocks of it, in each of which the steps
// became one StepEvent with the least and the greatest of them all, beside the
// events of other types. Whoever adds its events up gets the curves of the whole
// log with every spike in them, in a time and a memory that do not grow with it.
//
// It is derived: what it is made from is the log, and it is made anew wherever it
// does not fit that. Evaluations and notes that are too many for it are thinned.
type Index struct {
	blocks []block
	Size   int64 // bytes of the log that the blocks stand for
	span   int64 // bytes a block stands for, at least
	others int   // events that are no steps
	lists  int   // numbers in the evaluations
	watch  stopwatch
}

// block is what is kept of a part of a log.
type block struct {
	end    int64 // offset behind it
	events []dated
}

// dated is an event with how long the run had trained by then.
type dated struct {
	Event   runner.Event
	seconds float64
}

// Bounds of an index: three blocks for each column of a wide terminal, and about
// 300 kB as a file.
const (
	MaxBlocks = 1200
	maxOthers = 2000
	maxLists  = 40_000
	maxValues = 64 + measure.MostUser // of one event
	maxText   = 500                   // bytes of one event
)

// add takes in the next event, whose line ends at an offset of the log. The event
// is the index's from then on.
func (x *Index) add(e runner.Event, end int64) {
	if n := len(x.blocks); n == 0 || x.blocks[n-1].length(x.start(n-1)) >= x.span {
		if n == MaxBlocks {
			x.halve()
		}
		x.blocks = append(x.blocks, block{})
	}
	x.Size = end
	x.watch.add(e)
	trim(e)
	b := &x.blocks[len(x.blocks)-1]
	b.take(dated{e, x.watch.Seconds})
	b.end = end
	if _, ok := e.(*runner.StepEvent); !ok {
		x.others++
		x.lists += numbers(e)
		x.thin()
	}
}

// start is the offset of a block.
func (x *Index) start(i int) int64 {
	if i == 0 {
		return 0
	}
	return x.blocks[i-1].end
}

func (b *block) length(start int64) int64 { return b.end - start }

// halve makes one block of two. From then on new ones get as long.
func (x *Index) halve() {
	n := len(x.blocks) / 2
	for i := range n {
		a, b := x.blocks[2*i], x.blocks[2*i+1]
		for _, e := range b.events {
			a.take(e)
		}
		x.blocks[i] = block{b.end, a.events}
	}
	x.blocks = slices.Delete(x.blocks, n, 2*n)
	x.span = max(1, x.Size/int64(len(x.blocks)))
}

// room makes room for more bytes of the log, so that no block has to be joined with
// another while they are taken in.
func (x *Index) room(more int64) {
	if x.span > 0 && int64(len(x.blocks))+more/x.span+1 <= MaxBlocks {
		return
	}
	for len(x.blocks) > MaxBlocks/2 {
		x.halve()
	}
	x.span = max(x.span, more/(MaxBlocks/2)+1)
}

// take adds an event. Of steps between which no resume stands only the last stays,
// with what it stands for.
func (b *block) take(e dated) {
	if s, ok := e.Event.(*runner.StepEvent); ok {
		if i := b.lastStep(); i >= 0 {
			s.Cover(b.events[i].Event.(*runner.StepEvent))
			b.events = slices.Delete(b.events, i, i+1)
		}
	}
	b.events = append(b.events, e)
}

// lastStep finds the step that another behind it covers; -1 without one.
func (b *block) lastStep() int {
	for i, e := range slices.Backward(b.events) {
		switch e.Event.(type) {
		case *runner.StepEvent:
			return i
		case *runner.ResumeEvent:
			return -1
		}
	}
	return -1
}

// thin keeps the events that are no steps to the bounds: every second of the type
// that has most of them goes, and the last stays.
func (x *Index) thin() {
	for x.others > maxOthers {
		x.drop(x.commonest())
	}
	if x.lists > maxLists {
		x.drop((*runner.EvalEvent)(nil).Kind())
	}
	if x.lists > maxLists { // of few that have very many classes
		x.strip()
	}
}

// commonest is the type that most events have.
func (x *Index) commonest() (most string) {
	counts := map[string]int{}
	for e := range x.All() {
		if _, ok := e.Event.(*runner.StepEvent); !ok {
			counts[e.Event.Kind()]++
		}
	}
	for kind, n := range counts {
		if n > counts[most] || n == counts[most] && kind < most {
			most = kind
		}
	}
	return most
}

// drop leaves out every second event of a type, seen from the last, which stays,
// and so does the evaluation that the run has selected.
func (x *Index) drop(kind string) {
	odd, selected := true, false
	for i := range slices.Backward(x.blocks) {
		b := &x.blocks[i]
		kept := len(b.events)
		for j, e := range slices.Backward(b.events) {
			if e.Event.Kind() != kind {
				continue
			}
			first := false
			if eval, ok := e.Event.(*runner.EvalEvent); ok && eval.Selected {
				first, selected = !selected, true
			}
			if odd = !odd; !odd || first {
				continue
			}
			x.others--
			x.lists -= numbers(e.Event)
			copy(b.events[j:], b.events[j+1:kept])
			kept--
		}
		clear(b.events[kept:])
		b.events = b.events[:kept]
	}
}

// strip takes their lists from all evaluations but the last.
func (x *Index) strip() {
	last := true
	for _, b := range slices.Backward(x.blocks) {
		for i, d := range slices.Backward(b.events) {
			e, ok := d.Event.(*runner.EvalEvent)
			if ok && !last {
				x.lists -= numbers(e)
				bare := *e // somebody may read e
				bare.ByGroup, bare.Heaviest = nil, nil
				b.events[i].Event = &bare
			}
			last = last && !ok
		}
	}
}

// numbers counts those in the lists of an event, a sample as one.
func numbers(e runner.Event) (n int) {
	if e, ok := e.(*runner.EvalEvent); ok {
		n = len(e.Heaviest)
		for _, l := range e.ByGroup {
			n += len(l.Numbers)
		}
	}
	return n
}

// trim bounds what an event has besides: a log may come from anybody.
func trim(e runner.Event) {
	cut := func(s *string) {
		if len(*s) > maxText {
			*s = strings.Clone((*s)[:maxText])
		}
	}
	few := func(v *measure.Values) { *v = (*v)[:min(len(*v), maxValues)] }
	switch e := e.(type) {
	case *runner.StepEvent:
		few(&e.Values)
		few(&e.Min)
		few(&e.Max)
	case *runner.EvalEvent:
		few(&e.Values)
		e.ByGroup = e.ByGroup[:min(len(e.ByGroup), maxValues)]
	case *runner.WarningEvent:
		cut(&e.Message)
	case *runner.StatusEvent:
		cut(&e.Cause)
	case *runner.CheckpointEvent:
		cut(&e.File)
	case *runner.KnobEvent:
		cut(&e.Key)
	}
}

// All ranges over the events in the log's order.
func (x *Index) All() func(yield func(dated) bool) {
	return func(yield func(dated) bool) {
		for _, b := range x.blocks {
			for _, e := range b.events {
				if !yield(e) {
					return
				}
			}
		}
	}
}
