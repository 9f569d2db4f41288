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

// curve is the history of one quantity of a run. Both series are over steps, never over epochs or
// seconds: the horizontal axis can change at any time, and a chart maps steps as it draws.
type curve struct {
	Raw    *plot.Series
	Smooth *plot.Series  // the smoothed series of a noisy quantity; nil where nothing smooths it
	filter plot.Smoother // the state of the filter that made Smooth; nil where Smooth is nil
	Fresh  bool          // whether the curve has changed since its axis was fitted
}

// Track is the state that the interface keeps of one watched run. Its size is bounded, however long
// the run.
type Track struct {
	Opened
	*record.Progress // the progress that is shown
	// Behind is the progress after the part of the log that was read so far; it is nil once the end
	// is reached. Until then the run is shown in the state that it had when it was opened.
	Behind *record.Progress
	Share  float64 // the part of the log that was read, 0 to 1
	Meta   *runner.Meta
	Names

	// The board tells Draw which of these to keep. A curve that no panel names is never made, so a
	// new view needs no change here.
	quantities map[string]lab.Measure
	most       int               // the most buckets that a curve may have
	own        int               // the number of curves of the program's own values
	Curves     map[string]*curve // by quantity
	Path       plot.Path         // (λ, η)
	evaluated
	Elapsed *plot.Series // seconds of training over steps

	Notes   []Note
	Markers []plot.Marker // x in steps
	Warned  int           // the number of warnings
	Skipped int           // the number of lines of the log that are no events
	Hidden  bool          // whether its curves are hidden
	Asks    questions
	knobs
}

// evaluated is the data that a Track keeps of evaluations besides curves.
type evaluated struct {
	Films map[string]*plot.Film // by list measure; a value for each class or group
	evals []*runner.EvalEvent   // the figures to compare at an epoch, see keepEval
}

// Names are the names of a run, and the number of its colour.
type Names struct {
	ID     string   // the name of its directory, which tells apart runs with the same label
	Label  string   // the name that tells it from the other watched runs
	Short  string   // the name on charts, which runs that differ only in the seed share
	Briefs []string // shorter and shorter forms of Short
	Uses   string   // the mark that says what its method uses, as lab.Mark returns it
	Number uint8    // the number of its colour and mark
}

// Note is a line of the log pane. Its text is one line without control characters: text from a log
// goes through cell.OneLine first.
type Note struct {
	At   time.Time
	Step int64
	Text string
	Bad  bool

	checkpoint bool
}

// The most notes and markers that are kept of a run. The latest are kept.
const (
	maxNotes   = 200
	maxMarkers = 64
)

// New returns the track of a run whose log is not read yet. It shows the state that the run had
// when it was opened.
func New(o Opened) *Track {
	t := &Track{Opened: o, Progress: record.NewProgress(&o.Run.Meta), Meta: &o.Run.Meta,
		Elapsed: new(plot.Series), Behind: record.NewProgress(&o.Run.Meta)}
	t.Standing, t.ID = o.At, o.Run.Meta.ID
	t.Uses, t.Asks = lab.Mark(t.Meta), QuestionsOf(t.Meta)
	t.Turns = len(Turnable(t.Meta.Spec)) > 0
	return t
}

// finely is the number of runs up to which curves are kept in full. A screen has no more room for
// the curves of more runs, so with twice as many each curve has half as many points.
const finely = 4

// Buckets returns the most buckets that a curve may have when so many runs are watched.
func Buckets(runs int) int {
	n := plot.MostBuckets
	for ; runs > finely; runs = (runs + 1) / 2 {
		n /= 2
	}
	return n
}

// Draw sets which curves and films are kept of the run, from its first event on. most is the most
// buckets that a curve may have.
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

// Keep returns the curve of a name, and begins to keep it if it is new.
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

// read returns the progress so far, shown or not: half a log is not shown as a run's state.
func (t *Track) read() *record.Progress { return cmp.Or(t.Behind, t.Progress) }

// CaughtUp shows what was read, now that the log is read to its end. It returns false if that was
// shown before, or if the log told nothing.
func (t *Track) CaughtUp() bool {
	nothing := record.Standing{Status: runner.Queued}
	if t.Behind == nil || t.Behind.Standing == nothing {
		return false
	}
	t.Progress, t.Behind = t.Behind, nil
	// No log says that its writer died; the directory said so when the run was opened.
	if t.At.Status == runner.Interrupted && !t.Status.Ended() {
		t.Status = t.At.Status
	}
	return true
}

// draws stores the part of an event that is drawn: points, notes and marks.
func (t *Track) draws(e runner.Event) {
	h := e.Header()
	switch e.(type) {
	case *runner.StepEvent, *runner.EvalEvent, *runner.StatusEvent: // these advance Seconds
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
	case *record.ForkEvent: // the parent's curves stay
		t.mark(h.Step, 'f')
		t.note(h, false, "forked from "+e.Parent)
		t.turns = nil // turns of the parent are not its own
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

// Stop marks a run that was cut short as interrupted at the end of a replay; no log says so.
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
	for _, v := range e.User() { // known only from their first value, so a panel comes later
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

// addEval extends the curves of evaluations. A value that does not apply leaves no gap, because
// evaluations are rare.
func (t *Track) addEval(e *runner.EvalEvent) {
	for name, q := range t.quantities {
		if v := e.Of(name); !q.OfStep() && v.Applies() {
			t.Curves[name].Raw.Append(float64(e.Step), v.Float())
			t.Curves[name].Fresh = true
		}
	}
}

// spread adds a value with the least and the greatest value of the steps that it stands for, so
// that a chart shows what happened between two lines of the log.
func (c *curve) spread(step int64, v, low, high measure.Number) {
	if !v.Applies() {
		return
	}
	c.Fresh = true
	x, y := float64(step), v.Float()
	lo, hi := math.Min(y, low.Float()), math.Max(y, high.Float())
	// A bucket with a bound that is not finite would stretch its axis without end. It is counted as
	// a bad point instead, and the panel's note says how many there were.
	if math.IsNaN(lo+hi) || math.IsInf(lo+hi, 0) {
		c.Raw.Append(x, math.NaN())
	} else {
		positive := math.Inf(1) // the least value above 0, as a log axis can show no less
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

// rewind drops the points after the step of the checkpoint from which the run goes on. Notes stay:
// they tell what happened, and a resume does not undo that. The path breaks instead of being cut,
// because it is not kept by step.
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

// note appends a line for the log pane, and drops the oldest line where there are too many.
func (t *Track) note(h *runner.Head, bad bool, text string) {
	if len(t.Notes) == maxNotes {
		t.Notes = slices.Delete(t.Notes, 0, 1)
	}
	t.Notes = append(t.Notes, Note{At: h.Time, Step: h.Step, Text: text, Bad: bad})
}

// noteCheckpoint replaces the note of the previous checkpoint if nothing happened since.
// Checkpoints come by the dozen, and their notes would hide the others.
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

// Done returns the part of the planned steps that is done, 0 to 1. Without planned steps it is 1
// for an imported run, else 0.
func (t *Track) Done() float64 {
	if t.Meta.Steps <= 0 {
		if t.Meta.Imported != nil {
			return 1
		}
		return 0
	}
	return min(1, float64(t.Step)/float64(t.Meta.Steps))
}

// Name returns the label with the mark of what the run's method uses or, where an old log turned
// the run into another method, with that method.
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

// Shown returns the smoothed series, or the raw one where there is none. Axes, the crosshair and
// the labels at line ends all read this series, so that they agree with the line on the screen.
func (c *curve) Shown() *plot.Series {
	if c.Smooth != nil {
		return c.Smooth
	}
	return c.Raw
}

// Turnable returns the settings that can be changed in a run with that spec: those that could be
// set to their present value.
func Turnable(s spec.Spec) (keys []string) {
	for _, key := range s.Knobs() {
		if _, _, err := s.Turn(key, s.Text(key)); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}
