package eventlog

import (
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/measure"
)

// Index is a log in short: a sequence of consecutive blocks of it. In each block the steps become
// one StepEvent with the least and the greatest values of all of them, beside the events of other
// types. A viewer that draws the events of the Index gets the curves of the whole log with every
// spike in them, in a time and a memory that do not grow with the log.
//
// It is derived from the log, and made anew wherever it does not fit the log. Evaluations and notes
// are thinned where there are too many.
type Index struct {
	blocks []block
	Size   int64 // bytes of the log that the blocks stand for
	span   int64 // least number of bytes that a block stands for
	others int   // number of events that are not steps
	lists  int   // numbers in the lists of all evaluations
	watch  stopwatch
}

// block is what is kept of a part of a log.
type block struct {
	end    int64 // offset in the log behind the block
	events []timedEvent
}

// timedEvent is an event, with the seconds that the run had trained by then.
type timedEvent struct {
	Event   runner.Event
	seconds float64
}

// Bounds of an index: three blocks for each column of a wide terminal, and about
// 300 kB as a file.
const (
	MaxBlocks = 1200
	maxOthers = 2000
	maxLists  = 40_000
	maxValues = 64 + measure.MostUser // values of one event
	maxText   = 500                   // bytes of text in one event
)

// add takes in the next event; end is the offset behind its line in the log. The index owns the
// event from then on.
func (x *Index) add(e runner.Event, end int64) {
	if n := len(x.blocks); n == 0 || x.blocks[n-1].end-x.start(n-1) >= x.span {
		if n == MaxBlocks {
			x.halve()
		}
		x.blocks = append(x.blocks, block{})
	}
	x.Size = end
	x.watch.add(e)
	trim(e)
	b := &x.blocks[len(x.blocks)-1]
	b.add(timedEvent{e, x.watch.Seconds})
	b.end = end
	if _, ok := e.(*runner.StepEvent); !ok {
		x.others++
		x.lists += countNumbers(e)
		x.thin()
	}
}

// start returns the offset at which block i starts.
func (x *Index) start(i int) int64 {
	if i == 0 {
		return 0
	}
	return x.blocks[i-1].end
}

// halve joins each two blocks into one. New blocks get as long as these from then on.
func (x *Index) halve() {
	n := len(x.blocks) / 2
	for i := range n {
		a, b := x.blocks[2*i], x.blocks[2*i+1]
		for _, e := range b.events {
			a.add(e)
		}
		x.blocks[i] = block{b.end, a.events}
	}
	x.blocks = slices.Delete(x.blocks, n, 2*n)
	x.span = max(1, x.Size/int64(len(x.blocks)))
}

// makeRoom prepares the index for more bytes of the log, so that no blocks have to be joined while
// these are taken in.
func (x *Index) makeRoom(more int64) {
	if x.span > 0 && int64(len(x.blocks))+more/x.span+1 <= MaxBlocks {
		return
	}
	for len(x.blocks) > MaxBlocks/2 {
		x.halve()
	}
	x.span = max(x.span, more/(MaxBlocks/2)+1)
}

// add adds an event. Of the steps without a resume between them only the last one stays, and
// covers the others.
func (b *block) add(e timedEvent) {
	if s, ok := e.Event.(*runner.StepEvent); ok {
		for i, before := range slices.Backward(b.events) {
			if _, resumed := before.Event.(*runner.ResumeEvent); resumed {
				break
			}
			if last, ok := before.Event.(*runner.StepEvent); ok {
				s.Cover(last)
				b.events = slices.Delete(b.events, i, i+1)
				break
			}
		}
	}
	b.events = append(b.events, e)
}

// thin keeps the events that are not steps within the bounds: it drops every second event of the
// most common type, but never the last one.
func (x *Index) thin() {
	for x.others > maxOthers {
		x.drop(x.commonest())
	}
	if x.lists > maxLists { // of few evaluations with very many classes, one or two stay
		x.drop((*runner.EvalEvent)(nil).Kind())
	}
}

// commonest returns the most common type of the events that are not steps.
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

// drop removes every second event of a type, counted from the last, which stays. The evaluation
// that the run has selected stays, too.
func (x *Index) drop(kind string) {
	behind, selected := 0, runner.Event(nil)
	for e := range x.All() {
		if e.Event.Kind() == kind {
			behind++
		}
		if eval, ok := e.Event.(*runner.EvalEvent); ok && eval.Selected {
			selected = eval
		}
	}
	for i := range x.blocks {
		b := &x.blocks[i]
		b.events = slices.DeleteFunc(b.events, func(e timedEvent) bool {
			if e.Event.Kind() != kind {
				return false
			}
			behind--
			if behind%2 == 0 || e.Event == selected {
				return false
			}
			x.others--
			x.lists -= countNumbers(e.Event)
			return true
		})
	}
}

// countNumbers returns how many numbers the lists of an event hold; a sample counts as one.
func countNumbers(e runner.Event) (n int) {
	if e, ok := e.(*runner.EvalEvent); ok {
		n = len(e.Heaviest)
		for _, l := range e.ByGroup {
			n += len(l.Numbers)
		}
	}
	return n
}

// trim bounds the other contents of an event: a log may come from anybody.
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
	case *runner.AlertEvent:
		cut(&e.Level)
		cut(&e.Alert)
		cut(&e.Text)
	case *runner.StatusEvent:
		cut(&e.Cause)
	case *runner.CheckpointEvent:
		cut(&e.File)
	case *runner.KnobEvent:
		cut(&e.Key)
	}
}

// All returns an iterator over the events, in the order of the log.
func (x *Index) All() func(yield func(timedEvent) bool) {
	return func(yield func(timedEvent) bool) {
		for _, b := range x.blocks {
			for _, e := range b.events {
				if !yield(e) {
					return
				}
			}
		}
	}
}
