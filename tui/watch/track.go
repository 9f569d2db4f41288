package watch

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// curve is what is kept of a quantity of a run.
type curve struct {
	raw    *plot.Series
	smooth *plot.Series // of a noisy one, when it is smoothed
	filter plot.Smoother
}

// track is what the interface keeps of one watched run. Its size is bounded,
// however long the run.
type track struct {
	opened
	*record.Progress // as shown
	// behind is what was read of a log that is not read to its end yet; nil then. The
	// run is shown as it stands at that end meanwhile.
	behind *record.Progress
	share  float64 // of the log that was read
	id     string
	label  string // what tells it from the other watched runs
	short  string // likewise, for charts: of seeds it is the same
	uses   string // the mark of what its method uses
	meta   *runner.Meta

	quantities map[string]lab.Measure
	curves     map[string]*curve // by quantity
	path       plot.Path         // (λ, η)
	films      map[string]*plot.Film
	elapsed    *plot.Series // Seconds over steps

	notes   []note
	markers []plot.Marker // x in steps
	number  uint8         // of its colour and mark
	warned  int           // how often it warned
	skipped int           // lines of the log that are no events
	hidden  bool          // its curves
	asks    questions
	turns   bool // settings of it can be turned: asked of every frame, so found out once
}

// note is a line of the log pane.
type note struct {
	at   time.Time
	step int64
	text string
	bad  bool

	checkpoint bool
}

// The most notes and markers that are kept of a run: the latest.
const (
	maxNotes   = 200
	maxMarkers = 64
)

func newTrack(o opened) *track {
	t := &track{opened: o, Progress: record.NewProgress(&o.run.Meta), id: o.run.Meta.ID, meta: &o.run.Meta,
		elapsed: plot.NewSeries(""), behind: record.NewProgress(&o.run.Meta)}
	t.Standing = o.at
	t.uses, t.asks = lab.Mark(t.meta), questionsOf(t.meta)
	t.turns = len(turnable(t.meta.Spec)) > 0
	return t
}

// finely is how many runs are kept as finely as one run is. A screen has no more room
// for the curves of more runs, so of twice as many each has half as many points.
const finely = 4

// buckets is how many buckets a curve has where so many runs are watched.
func buckets(runs int) int {
	n := plot.MostBuckets
	for ; runs > finely; runs = (runs + 1) / 2 {
		n /= 2
	}
	return n
}

// draw says what curves are kept of the run, from its first event on: each in at most so
// many buckets.
func (t *track) draw(quantities map[string]lab.Measure, filmed []string, most int) {
	t.quantities, t.curves, t.films = quantities, map[string]*curve{}, map[string]*plot.Film{}
	t.elapsed.Limit(most)
	for _, name := range filmed {
		t.films[name] = &plot.Film{}
	}
	for q := range quantities {
		t.curves[q] = &curve{raw: plot.NewSeries("")}
		t.curves[q].raw.Limit(most)
	}
}

// add takes in events in the order of the log.
func (t *track) add(events []runner.Event) {
	for _, e := range events {
		t.read().Add(e)
		t.draws(e)
	}
}

// read is what the events so far come to.
func (t *track) read() *record.Progress { return cmp.Or(t.behind, t.Progress) }

// caughtUp shows what was read from now on, it being all, if it is anything; false where that
// is so already.
func (t *track) caughtUp() bool {
	nothing := record.Standing{Status: runner.Queued}
	if t.behind == nil || t.behind.Standing == nothing {
		return false
	}
	t.Progress, t.behind = t.behind, nil
	if t.at.Status == runner.Interrupted && !t.Status.Ended() {
		t.Status = t.at.Status
	}
	return true
}

// draws keeps what is shown of an event.
func (t *track) draws(e runner.Event) {
	h := e.Header()
	switch e.(type) {
	case *runner.StepEvent, *runner.EvalEvent, *runner.StatusEvent: // those with the time
		t.elapsed.Append(float64(h.Step), t.read().Seconds)
	}
	switch e := e.(type) {
	case *runner.StepEvent:
		t.addStep(e)
	case *runner.EvalEvent:
		t.addEval(e)
		t.roll(e)
	case *runner.StatusEvent:
		t.noteStatus(h)
	case *runner.ResumeEvent:
		t.rewind(h)
	case *record.ForkEvent: // its parent's curves stay
		t.mark(h.Step, 'f')
		t.note(h, false, "goes on from "+e.Parent)
	case *runner.WarningEvent:
		t.warned++
		t.note(h, true, cell.OneLine(e.Message))
	case *runner.CheckpointEvent:
		t.noteCheckpoint(h, "checkpoint "+cell.OneLine(e.File))
	case *runner.KnobEvent:
		t.note(h, false, fmt.Sprintf("%s %s to %s", e.Key, e.Old, e.New))
		t.mark(h.Step, 'k')
	}
}

// stop says at the end of a replay that the run was cut short, which no log says.
func (t *track) stop(ended bool) {
	if ended && t.run.Status() == runner.Interrupted && !t.Status.Ended() {
		t.Status = runner.Interrupted
	}
}

func (t *track) addStep(e *runner.StepEvent) {
	for name, q := range t.quantities {
		if q.OfStep() {
			v, low, high := lab.OfStep(e, name)
			t.curves[name].spread(e.Step, v, low, high)
		}
	}
	if l, h := e.Of("lambda"), e.Of("eta"); l.Applies() && h.Applies() {
		t.path.Append(l.Float(), h.Float())
	}
}

func (t *track) addEval(e *runner.EvalEvent) {
	for name, q := range t.quantities {
		if v := e.Of(name); !q.OfStep() && v.Applies() {
			t.curves[name].raw.Append(float64(e.Step), v.Float())
		}
	}
}

// spread adds a value with the least and greatest of the steps that it stands
// for, so that what happened between two lines of the log is seen.
func (c *curve) spread(step int64, v, low, high runner.Number) {
	if !v.Applies() {
		return
	}
	x, y := float64(step), v.Float()
	lo, hi := math.Min(y, low.Float()), math.Max(y, high.Float())
	if math.IsNaN(lo+hi) || math.IsInf(lo+hi, 0) {
		c.raw.Append(x, math.NaN())
	} else {
		positive := math.Inf(1)
		for _, p := range [...]float64{hi, y, lo} {
			if p > 0 {
				positive = p
			}
		}
		c.raw.AppendBucket(plot.Bucket{X0: x, X1: x, First: y, Last: y, Min: lo, Max: hi, MinPos: positive,
			Mean: y, N: 1})
	}
	if c.filter != nil {
		c.smooth.Append(x, c.filter.Push(y, 1))
	}
}

// smoothWith filters the noisy quantities anew; nil shows them as they are.
func (t *track) smoothWith(f func() plot.Smoother) {
	for name, c := range t.curves {
		c.filter, c.smooth = nil, nil
		if f != nil && t.quantities[name].Noisy {
			c.filter = f()
			c.smooth = plot.Smooth(c.raw, c.filter)
		}
	}
}

func (t *track) noteStatus(h *runner.Head) {
	p := t.read()
	text := string(p.Status)
	if p.Cause != "" {
		text += ": " + cell.OneLine(p.Cause)
	}
	t.note(h, p.Status == runner.Failed, text)
}

// rewind drops what the run does again from the step of a checkpoint.
func (t *track) rewind(h *runner.Head) {
	x := float64(h.Step)
	for _, c := range t.curves {
		c.raw.Rewind(x)
		if c.smooth != nil {
			c.smooth.Rewind(x)
			c.filter.Reset()
		}
	}
	for _, f := range t.films {
		f.Rewind(x)
	}
	t.path.Break()
	t.elapsed.Rewind(x)
	t.markers = slices.DeleteFunc(t.markers, func(m plot.Marker) bool { return m.X > x })
	t.mark(h.Step, 'r')
	t.note(h, false, "goes on from a checkpoint")
}

func (t *track) note(h *runner.Head, bad bool, text string) {
	if len(t.notes) == maxNotes {
		t.notes = slices.Delete(t.notes, 0, 1)
	}
	t.notes = append(t.notes, note{at: h.Time, step: h.Step, text: text, bad: bad})
}

// noteCheckpoint replaces the note of the checkpoint before where nothing
// happened since: they come by the dozen and would hide the rest.
func (t *track) noteCheckpoint(h *runner.Head, text string) {
	if n := len(t.notes); n > 0 && t.notes[n-1].checkpoint {
		t.notes = t.notes[:n-1]
	}
	t.note(h, false, text)
	t.notes[len(t.notes)-1].checkpoint = true
}

func (t *track) mark(step int64, letter rune) {
	if len(t.markers) == maxMarkers {
		t.markers = slices.Delete(t.markers, 0, 1)
	}
	t.markers = append(t.markers, plot.Marker{X: float64(step), Letter: letter})
}

// done is the part of the planned steps that is done, 0 to 1.
func (t *track) done() float64 {
	if t.meta.Steps <= 0 {
		return 0
	}
	return min(1, float64(t.Step)/float64(t.meta.Steps))
}

// name is the label with the mark of what the run's method uses, and the method
// that an old log turned it into.
func (t *track) name() string {
	if now := t.Spec.Algorithm(); now != t.meta.Spec.Algorithm() {
		return t.label + "→" + string(now)
	}
	return t.label + t.uses
}

// roll appends an evaluation to the films.
func (t *track) roll(e *runner.EvalEvent) {
	for name, f := range t.films {
		if list := e.ByGroup.Of(name); len(list) > 0 {
			values := make([]float64, len(list))
			for i, v := range list {
				if values[i] = math.NaN(); v.Applies() {
					values[i] = v.Float()
				}
			}
			f.Append(float64(e.Step), values)
		}
	}
}

// shown is the smoothed curve, where there is one.
func (c *curve) shown() *plot.Series {
	if c.smooth != nil {
		return c.smooth
	}
	return c.raw
}
