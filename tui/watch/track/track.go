package track

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// curve is what is kept of a quantity of a run. Both series are over steps, never over epochs
// or seconds: the horizontal axis can change at any time, and a chart maps steps as it draws.
type curve struct {
	Raw    *plot.Series
	Smooth *plot.Series  // of a noisy one, when it is smoothed
	filter plot.Smoother // what Smooth has seen so far; nil where Smooth is
	Fresh  bool          // it has changed since its axis was fitted
}

// Track is what the interface keeps of one watched run. Its size is bounded,
// however long the run.
type Track struct {
	Opened
	*record.Progress // as shown
	// Behind collects what is read of a log until its end is reached; it is nil from then on.
	// The run is shown as it stood when it was opened meanwhile.
	Behind *record.Progress
	Share  float64 // of the log that was read
	Meta   *runner.Meta
	Names

	// The board says in Draw which of these are kept. A curve that no panel names is never
	// made, so a new view needs no change here.
	quantities map[string]lab.Measure
	most       int               // buckets of a curve
	own        int               // curves of the program's own values
	Curves     map[string]*curve // by quantity
	Path       plot.Path         // (λ, η)
	evaluated
	Elapsed *plot.Series // Seconds over steps

	Notes   []Note
	Markers []plot.Marker // x in steps
	Warned  int           // how often it warned
	Skipped int           // lines of the log that are no events
	Hidden  bool          // its curves
	Asks    questions
	knobs
}

// evaluated is what is kept of evaluations beside curves.
type evaluated struct {
	Films map[string]*plot.Film // by list measure; a value for each class or group
	evals []*runner.EvalEvent   // what is compared at an epoch, see keepEval
}

// Names are what a run is called, and its colour.
type Names struct {
	ID     string   // of its directory, which tells runs apart that read alike
	Label  string   // what tells it from the other watched runs
	Short  string   // likewise, for charts: of seeds it is the same
	Briefs []string // Short in fewer letters, and in fewer again
	Uses   string   // the mark of what its method uses
	Number uint8    // of its colour and mark
}

// Note is a line of the log pane. Its text is one line without control characters: what comes
// from a log goes through cell.OneLine first.
type Note struct {
	At   time.Time
	Step int64
	Text string
	Bad  bool

	checkpoint bool
}

// The most notes and markers that are kept of a run: the latest.
const (
	maxNotes   = 200
	maxMarkers = 64
)

// New is a run of which nothing was read: it shows how it stood when it was looked for.
func New(o Opened) *Track {
	t := &Track{Opened: o, Progress: record.NewProgress(&o.Run.Meta), Meta: &o.Run.Meta,
		Elapsed: new(plot.Series), Behind: record.NewProgress(&o.Run.Meta)}
	t.Standing, t.ID = o.At, o.Run.Meta.ID
	t.Uses, t.Asks = lab.Mark(t.Meta), QuestionsOf(t.Meta)
	t.Turns = len(Turnable(t.Meta.Spec)) > 0
	return t
}

// finely is how many runs are kept as finely as one run is. A screen has no more room
// for the curves of more runs, so of twice as many each has half as many points.
const finely = 4

// Buckets is how many buckets a curve has where so many runs are watched.
func Buckets(runs int) int {
	n := plot.MostBuckets
	for ; runs > finely; runs = (runs + 1) / 2 {
		n /= 2
	}
	return n
}

// Draw says what curves are kept of the run, from its first event on: each in at most so
// many buckets.
func (t *Track) Draw(quantities map[string]lab.Measure, filmed []string, most int) {
	t.quantities, t.Curves, t.Films = quantities, map[string]*curve{}, map[string]*plot.Film{}
	t.Elapsed.Limit(most)
	for _, name := range filmed {
		t.Films[name] = &plot.Film{}
	}
	t.most, t.own = most, 0
	for q := range quantities {
		t.Keep(q)
	}
}

// Keep has one more curve kept, if it is not yet.
func (t *Track) Keep(name string) *curve {
	c := t.Curves[name]
	if c == nil {
		c = &curve{Raw: new(plot.Series)}
		c.Raw.Limit(t.most)
		t.Curves[name] = c
	}
	return c
}

// Add takes in events in the order of the log. Progress sees each event first, since it alone
// knows what a resume took back; the curves must be cut before they grow again.
func (t *Track) Add(events []runner.Event) {
	for _, e := range events {
		if t.read().Add(e) {
			t.rewind(t.read().Step)
		}
		t.draws(e)
	}
}

// read is what the events so far come to, shown or not: half a log is no run's state.
func (t *Track) read() *record.Progress { return cmp.Or(t.Behind, t.Progress) }

// CaughtUp shows what was read from now on, it being all, if it is anything; false where that
// is so already.
func (t *Track) CaughtUp() bool {
	nothing := record.Standing{Status: runner.Queued}
	if t.Behind == nil || t.Behind.Standing == nothing {
		return false
	}
	t.Progress, t.Behind = t.Behind, nil
	// No log says that its writer died. The directory did when the run was opened.
	if t.At.Status == runner.Interrupted && !t.Status.Ended() {
		t.Status = t.At.Status
	}
	return true
}

// draws keeps what is shown of an event.
func (t *Track) draws(e runner.Event) {
	h := e.Header()
	switch e.(type) {
	case *runner.StepEvent, *runner.EvalEvent, *runner.StatusEvent: // those with the time
		t.Elapsed.Append(float64(h.Step), t.read().Seconds)
	}
	switch e := e.(type) {
	case *runner.StepEvent:
		t.addStep(e)
	case *runner.EvalEvent:
		t.addEval(e)
		t.keepEval(e)
		t.roll(e)
	case *runner.StatusEvent:
		t.noteStatus(h)
	case *runner.ResumeEvent:
		t.mark(h.Step, 'r')
		t.note(h, false, "resumed from a checkpoint")
	case *record.ForkEvent: // its parent's curves stay
		t.mark(h.Step, 'f')
		t.note(h, false, "forked from "+e.Parent)
		t.turns = nil // its parent's are no turns of its own
	case *runner.WarningEvent:
		t.Warned++
		t.note(h, true, cell.OneLine(e.Message))
	case *runner.CheckpointEvent:
		t.noteCheckpoint(h, "checkpoint "+cell.OneLine(e.File))
	case *runner.KnobEvent:
		t.note(h, false, fmt.Sprintf("%s %s to %s", e.Key, e.Old, e.New))
		t.mark(h.Step, 'k')
		t.turns = t.turns.add(e)
	}
}

// Stop says at the end of a replay that the run was cut short, which no log says.
func (t *Track) Stop(ended bool) {
	if ended && t.Run.Status() == runner.Interrupted && !t.Status.Ended() {
		t.Status = runner.Interrupted
	}
}

// addStep grows the curves of steps, and the path where the method has a λ and an η.
func (t *Track) addStep(e *runner.StepEvent) {
	for name, q := range t.quantities {
		if q.OfStep() && !measure.IsUser(name) {
			v, low, high := lab.OfStep(e, name)
			t.Curves[name].spread(e.Step, v, low, high)
		}
	}
	for _, v := range e.User() { // known by their first value alone, so a panel comes later
		c := t.Curves[v.Name]
		if c == nil && t.own < measure.MostUser {
			c, t.own = t.Keep(v.Name), t.own+1
		}
		if c != nil {
			c.spread(e.Step, v.Number, e.Min.Of(v.Name), e.Max.Of(v.Name))
		}
	}
	if l, h := e.Of("lambda"), e.Of("eta"); l.Applies() && h.Applies() {
		t.Path.Append(l.Float(), h.Float())
	}
}

// addEval grows the curves of evaluations; what does not apply leaves no gap, since
// evaluations come seldom.
func (t *Track) addEval(e *runner.EvalEvent) {
	for name, q := range t.quantities {
		if v := e.Of(name); !q.OfStep() && v.Applies() {
			t.Curves[name].Raw.Append(float64(e.Step), v.Float())
			t.Curves[name].Fresh = true
		}
	}
}

// spread adds a value with the least and greatest of the steps that it stands
// for, so that what happened between two lines of the log is seen.
func (c *curve) spread(step int64, v, low, high measure.Number) {
	if !v.Applies() {
		return
	}
	c.Fresh = true
	x, y := float64(step), v.Float()
	lo, hi := math.Min(y, low.Float()), math.Max(y, high.Float())
	// A bucket with a bound that is not finite would stretch its axis without end. As a bad
	// point it is counted, and the panel's note says how many there were.
	if math.IsNaN(lo+hi) || math.IsInf(lo+hi, 0) {
		c.Raw.Append(x, math.NaN())
	} else {
		positive := math.Inf(1) // the least above 0, which is what a log axis can show
		for _, p := range [...]float64{hi, y, lo} {
			if p > 0 {
				positive = p
			}
		}
		c.Raw.AppendBucket(plot.Bucket{X0: x, X1: x, First: y, Last: y, Mean: y, N: 1,
			Min: lo, Max: hi, MinPos: positive})
	}
	if c.filter != nil {
		c.Smooth.Append(x, c.filter.Push(y, 1))
	}
}

// SmoothWith filters the noisy quantities anew; nil shows them as they are. Each curve gets a
// filter of its own, since a filter remembers the points before.
func (t *Track) SmoothWith(f func() plot.Smoother) {
	for name, c := range t.Curves {
		c.filter, c.Smooth, c.Fresh = nil, nil, true
		if f != nil && t.quantities[name].Noisy {
			c.filter = f()
			c.Smooth = plot.Smooth(c.Raw, c.filter)
		}
	}
}

// noteStatus notes the status that Progress has just taken over, with its cause.
func (t *Track) noteStatus(h *runner.Head) {
	p := t.read()
	text := string(p.Status)
	if p.Cause != "" {
		text += ": " + cell.OneLine(p.Cause)
	}
	t.note(h, p.Status == runner.Failed, text)
}

// rewind drops what the run does again from the step of a checkpoint. Notes stay: they tell what
// happened, and a resume does not undo that. The path breaks instead of being cut, as it is not
// kept by step.
func (t *Track) rewind(step int64) {
	x := float64(step)
	for _, c := range t.Curves {
		c.Raw.Rewind(x)
		c.Fresh = true
		if c.Smooth != nil {
			c.Smooth.Rewind(x)
			c.filter.Reset()
		}
	}
	for _, f := range t.Films {
		f.Rewind(x)
	}
	t.evals = slices.DeleteFunc(t.evals,
		func(e *runner.EvalEvent) bool { return e.Step > step })
	t.Path.Break()
	t.Elapsed.Rewind(x)
	t.Markers = slices.DeleteFunc(t.Markers, func(m plot.Marker) bool { return m.X > x })
}

// note appends a line for the log pane; the oldest one goes where there are too many.
func (t *Track) note(h *runner.Head, bad bool, text string) {
	if len(t.Notes) == maxNotes {
		t.Notes = slices.Delete(t.Notes, 0, 1)
	}
	t.Notes = append(t.Notes, Note{At: h.Time, Step: h.Step, Text: text, Bad: bad})
}

// noteCheckpoint replaces the note of the checkpoint before where nothing
// happened since: they come by the dozen and would hide the rest.
func (t *Track) noteCheckpoint(h *runner.Head, text string) {
	if n := len(t.Notes); n > 0 && t.Notes[n-1].checkpoint {
		t.Notes = t.Notes[:n-1]
	}
	t.note(h, false, text)
	t.Notes[len(t.Notes)-1].checkpoint = true
}

func (t *Track) mark(step int64, letter rune) {
	if len(t.Markers) == maxMarkers {
		t.Markers = slices.Delete(t.Markers, 0, 1)
	}
	t.Markers = append(t.Markers, plot.Marker{X: float64(step), Letter: letter})
}

// Done is the part of the planned steps that is done, 0 to 1: all, where there are none.
func (t *Track) Done() float64 {
	if t.Meta.Steps <= 0 {
		if t.Meta.Imported != nil {
			return 1
		}
		return 0
	}
	return min(1, float64(t.Step)/float64(t.Meta.Steps))
}

// Name is the label with the mark of what the run's method uses, and the method
// that an old log turned it into.
func (t *Track) Name() string {
	if now := t.Spec.Algorithm(); now != t.Meta.Spec.Algorithm() {
		return t.Label + "→" + string(now)
	}
	return t.Label + t.Uses
}

// roll appends an evaluation to the films.
func (t *Track) roll(e *runner.EvalEvent) {
	for name, f := range t.Films {
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

// Shown is the smoothed curve, where there is one. Axes, the crosshair and the labels at line
// ends all read this series, so that they agree with the line that is seen.
func (c *curve) Shown() *plot.Series {
	if c.Smooth != nil {
		return c.Smooth
	}
	return c.Raw
}

// Turnable are the settings that can be changed of a run with that spec: those
// that could be set to what they are.
func Turnable(s spec.Spec) (keys []string) {
	for _, key := range s.Knobs() {
		if _, _, err := s.Turn(key, s.Text(key)); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}
