package panel

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/alert"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
	"drolab/tui/cell"
	"drolab/tui/lab"
	"drolab/tui/plot"
)

// Track is the state that the interface keeps of one watched run. Its size is bounded, however long
// the run.
type Track struct {
	RunLog
	*eventlog.Progress // the progress that is shown
	// Behind is the progress after the part of the log that was read so far; it is nil once the end
	// is reached. Until then the run is shown in the state that it had when it was opened.
	Behind *eventlog.Progress
	Share  float64 // the part of the log that was read, 0 to 1
	Meta   *runner.Meta
	Names

	// The board tells Collect which of these to keep. A curve that no panel names is never made, so
	// a new view needs no change here.
	quantities map[string]measure.Measure
	most       int               // the most buckets that a curve may have
	own        int               // the number of curves of the program's own values
	Curves     map[string]*curve // by quantity
	Path       plot.Path         // (λ, η)
	evalData
	Elapsed *plot.Series // seconds of training over steps

	Notes   []Note
	Markers []plot.Marker // x in steps
	Hidden  bool          // whether its curves are hidden
	Asks    questions
	knobs
	tally
}

// tally is what was counted of a log.
type tally struct {
	Warned  int       // the number of warnings
	Skipped int       // the number of lines of the log that are no events
	now     time.Time // of the last event
}

// Names are the names of a run, and the number of its colour.
type Names struct {
	// Configuration is equal for runs that differ in the seed alone.
	Configuration string

	ID     string   // the name of its directory, which tells apart runs with the same label
	Label  string   // the name that tells it from the other watched runs
	Short  string   // the name on charts, which runs that differ only in the seed share
	Briefs []string // shorter and shorter forms of Short
	Uses   string   // the mark that says what its method uses, as lab.Mark returns it
	Number uint8    // the number of its colour and mark
}

// NewTrack returns the track of a run whose log is not read yet. It shows the state that the run
// had when it was opened.
func NewTrack(o RunLog) *Track {
	t := &Track{RunLog: o, Progress: eventlog.NewProgress(&o.Run.Meta), Meta: &o.Run.Meta,
		Elapsed: new(plot.Series), Behind: eventlog.NewProgress(&o.Run.Meta)}
	t.Standing, t.ID = o.AtOpening, o.Run.Meta.ID
	t.Uses, t.Asks, t.Configuration = lab.Mark(t.Meta), QuestionsOf(t.Meta), o.Run.Configuration()
	t.HasKnobs = len(TurnableKeys(t.Meta.Spec)) > 0
	return t
}

// mostInFull is the number of runs up to which curves are kept in full. A screen has no more room
// for the curves of more runs, so with twice as many each curve has half as many points.
const mostInFull = 4

// Buckets returns the most buckets that a curve may have when so many runs are watched.
func Buckets(runs int) int {
	n := plot.MostBuckets
	for ; runs > mostInFull; runs = (runs + 1) / 2 {
		n /= 2
	}
	return n
}

// Collect sets which curves and films are kept of the run, from its first event on. most is the
// most buckets that a curve may have.
func (t *Track) Collect(quantities map[string]measure.Measure, filmed []string, most int) {
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
		t.addDrawn(e)
	}
}

// read returns the progress so far, shown or not: half a log is not shown as a run's state.
func (t *Track) read() *eventlog.Progress { return cmp.Or(t.Behind, t.Progress) }

// CaughtUp shows what was read, now that the log is read to its end. It returns false if that was
// shown before, or if the log told nothing.
func (t *Track) CaughtUp() bool {
	if t.Behind == nil || t.Behind.Standing == (eventlog.Standing{Status: runner.Queued}) {
		return false
	}
	t.Progress, t.Behind = t.Behind, nil
	// No log says that its writer died; the directory said so when the run was opened.
	if t.AtOpening.Status == runner.Interrupted && !t.Status.Ended() {
		t.Status = t.AtOpening.Status
	}
	// The summary of a run that has ended has what its log may have lost.
	if t.Gap != nil && t.Eval == nil && t.Status.Ended() && t.Status == t.AtOpening.Status {
		t.Eval = t.AtOpening.Eval
	}
	return true
}

// addDrawn stores the part of an event that is drawn: points, notes and marks.
func (t *Track) addDrawn(e runner.Event) {
	h := e.Header()
	t.now = h.Time
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
		t.addToFilms(e)
	case *runner.StatusEvent:
		t.noteStatus(h)
	case *runner.RefitEvent:
		if e.Fit <= 0 { // its start
			t.note(h, false, e.Text())
		}
	case *runner.ResumeEvent:
		t.mark(h.Step, 'r')
		t.note(h, false, "resumed from a checkpoint")
	case *eventlog.ForkEvent: // the parent's curves stay
		t.mark(h.Step, 'f')
		t.note(h, false, "forked from "+e.Parent)
		t.turns = nil // turns of the parent are not its own
	case *eventlog.GapEvent:
		t.Warned++
		t.note(h, true, cell.OneLine(fmt.Sprintf("%s (%v)", e.Brief(), e)))
	case *runner.WarningEvent:
		t.Warned++
		t.note(h, true, cell.OneLine(e.Message))
	case *runner.AlertEvent:
		t.note(h, e.Level != string(alert.Info), cell.OneLine(e.Text))
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
			v, low, high := lab.StepValue(e, name)
			t.Curves[name].append(e.Step, v, low, high)
		}
	}
	for _, v := range e.User() { // known only from their first value, so a panel comes later
		c := t.Curves[v.Name]
		if c == nil && t.own < measure.MostUser {
			c, t.own = t.Keep(v.Name), t.own+1
		}
		if c != nil {
			c.append(e.Step, v.Number, e.Min.Named(v.Name), e.Max.Named(v.Name))
		}
	}
	if l, h := e.Named("lambda"), e.Named("eta"); l.Applies() && h.Applies() {
		t.Path.Append(l.Float(), h.Float())
	}
}

// addEval extends the curves of evaluations. A value that does not apply leaves no gap, because
// evaluations are rare.
func (t *Track) addEval(e *runner.EvalEvent) {
	for name, q := range t.quantities {
		if v := e.Named(name); !q.OfStep() && v.Applies() {
			t.Curves[name].Raw.Append(float64(e.Step), v.Float())
			t.Curves[name].Fresh = true
		}
	}
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
	t.evals = slices.DeleteFunc(t.evals, func(e *runner.EvalEvent) bool { return e.Step > step })
	t.Path.Break()
	t.Elapsed.Rewind(x)
	t.Markers = slices.DeleteFunc(t.Markers, func(m plot.Marker) bool { return m.X > x })
}

// Planned reports whether it is known how much of the run is done. A log that is followed may not
// say how many steps are planned.
func (t *Track) Planned() bool { return t.Meta.Steps > 0 || t.Status.Ended() }

// Done returns the part of the planned steps that is done, 0 to 1. Without planned steps it is 1
// for an imported run that has ended, else 0.
func (t *Track) Done() float64 {
	if t.Meta.Steps <= 0 {
		if t.Meta.Imported != nil && t.Status.Ended() {
			return 1
		}
		return 0
	}
	return min(1, float64(t.Step)/float64(t.Meta.Steps))
}
