package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/kit"
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
	*eventlog.Progress // the progress that is shown
	// Behind is the progress after the part of the log that was read so far; it is nil once the end
	// is reached. Until then the run is shown in the state that it had when it was opened.
	Behind *eventlog.Progress
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

// evaluated is the data that a Track keeps of evaluations besides curves.
type evaluated struct {
	Films map[string]*plot.Film // by list measure; a value for each class or group
	evals []*runner.EvalEvent   // the figures to compare at an epoch, see keepEval
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

// NewTrack returns the track of a run whose log is not read yet. It shows the state that the run
// had when it was opened.
func NewTrack(o Opened) *Track {
	t := &Track{Opened: o, Progress: eventlog.NewProgress(&o.Run.Meta), Meta: &o.Run.Meta,
		Elapsed: new(plot.Series), Behind: eventlog.NewProgress(&o.Run.Meta)}
	t.Standing, t.ID = o.At, o.Run.Meta.ID
	t.Uses, t.Asks, t.Configuration = lab.Mark(t.Meta), QuestionsOf(t.Meta), o.Run.Configuration()
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
	if t.At.Status == runner.Interrupted && !t.Status.Ended() {
		t.Status = t.At.Status
	}
	// The summary of a run that has ended has what its log may have lost.
	if t.Gap != nil && t.Eval == nil && t.Status.Ended() && t.Status == t.At.Status {
		t.Eval = t.At.Eval
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
			t.Curves[name].spread(e.Step, v, low, high)
		}
	}
	for _, v := range e.User() { // known only from their first value, so a panel comes later
		c := t.Curves[v.Name]
		if c == nil && t.own < measure.MostUser {
			c, t.own = t.Keep(v.Name), t.own+1
		}
		if c != nil {
			c.spread(e.Step, v.Number, e.Min.Named(v.Name), e.Max.Named(v.Name))
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
	t.evals = slices.DeleteFunc(t.evals, func(e *runner.EvalEvent) bool { return e.Step > step })
	t.Path.Break()
	t.Elapsed.Rewind(x)
	t.Markers = slices.DeleteFunc(t.Markers, func(m plot.Marker) bool { return m.X > x })
}

// note appends a line for the log pane, and drops the oldest line where there are too many.
func (t *Track) note(h *runner.Head, bad bool, text string) {
	t.Notes = push(t.Notes, Note{At: h.Time, Step: h.Step, Text: text, Bad: bad}, maxNotes)
}

// push appends to a list of at most so many, and drops the oldest if there are more.
func push[T any](list []T, v T, most int) []T {
	if len(list) == most {
		list = slices.Delete(list, 0, 1)
	}
	return append(list, v)
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
	t.Markers = push(t.Markers, plot.Marker{X: float64(step), Letter: letter}, maxMarkers)
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

// addToFilms appends an evaluation to the films.
func (t *Track) addToFilms(e *runner.EvalEvent) {
	for name, f := range t.Films {
		if list := e.ByGroup.Named(name); len(list) > 0 {
			f.Append(float64(e.Step), kit.Map(list, measure.Number.Float))
		}
	}
}

// Shown returns the smoothed series, or the raw one where there is none. Axes, the crosshair and
// the labels at line ends all read this series, so that they agree with the line on the screen.
func (c *curve) Shown() *plot.Series { return cmp.Or(c.Smooth, c.Raw) }

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

// knobs is the state of a run's knobs, the settings that can be turned (changed) while it goes on.
type knobs struct {
	Turns bool // whether it has knobs; found once, because every frame asks
	turns turned
}

// turned is the stack of the turns of a run's knobs. A turn that brings a setting back to the bits
// that it had before the last turn takes that turn off the stack, because it undoes it.
type turned []runner.KnobEvent

// add takes in a turn, in the order of the log.
func (s turned) add(e *runner.KnobEvent) turned {
	if n := len(s); n > 0 && s[n-1].Key == e.Key && e.New == s[n-1].Old {
		return s[:n-1]
	}
	return push(s, *e, maxTurned)
}

// maxTurned is the number of turns of a run that can be taken back.
const maxTurned = 64

// Back returns the setting and the value that take back the last turn that stands. The value is the
// one from before the turn, in as many digits as its bits need. ok is false where no turn stands.
func (t *Track) Back() (key, value string, ok bool) {
	if len(t.turns) == 0 {
		return "", "", false
	}
	last := t.turns[len(t.turns)-1]
	before := runner.KnobEvent{New: last.Old}
	return last.Key, before.Value().String(), true
}

// Opened is a run with its log and the state that it had when it was opened. A command makes it,
// and the goroutine of the interface owns it afterwards, except for Log and Tape: the one command
// that reads has these for as long as it runs.
type Opened struct {
	Run *record.Run
	Log lab.Log           // for a fork, it begins with the events of the parent
	At  eventlog.Standing // from the end of the log, so that it is known before the log is read

	Tape *taped // the limited log of a replay; nil without a replay
}

// taped is a run whose log is limited by the replay's clock. It is a Source that hands out the
// limited log for this run alone, which lets record.Lineage put the parent's log before it.
type taped struct {
	lab.Source
	id     string
	Replay *eventlog.Replay
}

// Open implements Source. The logs of the runs that it was forked from are not limited, because
// their part happened before.
func (t taped) Open(r *record.Run) lab.Log {
	if r.Meta.ID == t.id {
		return t.Replay
	}
	return eventlog.InSmall(t.Source.Open(r), false)
}

// OpenReplay returns a run at the start of a replay. It stands as queued whatever became of it,
// because a replay must not show the end before its clock is there.
func OpenReplay(s lab.Source, r *record.Run) Opened {
	t := taped{s, r.Meta.ID, eventlog.NewReplay(s.Open(r))}
	start := eventlog.Standing{Status: runner.Queued}
	return Opened{Run: r, Log: record.Lineage(t, r), At: start, Tape: &t}
}

// Prepare limits the log to a moment, and restarts it if it has to go back. Going back makes a new
// log, because a lineage that has left the parent's log does not return to it.
func (t *taped) Prepare(o *Opened, back bool, until eventlog.Moment) {
	if back {
		t.Replay.Rewind()
		o.Log = record.Lineage(t, o.Run)
	}
	t.Replay.To(until)
}

// Runs are compared at an epoch that all of them have, which may be long past for a run that has
// ended. By then Progress has forgotten the evaluation, so a track keeps the latest.

// mostEvals is the number of latest evaluations that are kept, within a factor of two. With ten
// classes each takes about two kilobytes.
const mostEvals = 128

// keepEval keeps an evaluation, in place of one before at the same step.
func (t *Track) keepEval(e *runner.EvalEvent) {
	kept := *e
	kept.Heaviest = nil // as long as all the rest
	if n := len(t.evals); n > 0 && t.evals[n-1].Step == e.Step {
		t.evals = t.evals[:n-1]
	} else if n >= 2*mostEvals {
		t.evals = slices.Clone(t.evals[n-mostEvals:])
	}
	t.evals = append(t.evals, &kept)
}

// Evaluations returns the kept evaluations in their order, or only the last one before the log is
// read.
func (t *Track) Evaluations() []*runner.EvalEvent {
	if len(t.evals) == 0 && t.Eval != nil {
		return []*runner.EvalEvent{t.Eval}
	}
	return t.evals
}

// EndsAt reports whether the last evaluation is that of an epoch. Imported predictions have no
// epochs, so they end at every epoch.
func (t *Track) EndsAt(epoch float64) bool {
	last := []*runner.EvalEvent{t.Eval}
	return t.Eval != nil && (t.Meta.Imported != nil || compare.EvalAt(last, epoch) != nil)
}

// EvalAt returns the evaluation at an epoch; nil without one.
func (t *Track) EvalAt(epoch float64) *runner.EvalEvent {
	if t.EndsAt(epoch) {
		return t.Eval
	}
	return compare.EvalAt(t.evals, epoch)
}

// A run whose predictions come from another program has an evaluation, but no steps. A panel shows
// what the evaluation has, or says that there is nothing.

// predicted reports whether all watched runs are of this kind.
func (w *Board) predicted() bool {
	trained := func(t *Track) bool { return t.Meta.Imported == nil }
	return len(w.Tracks) > 0 && !slices.ContainsFunc(w.Tracks, trained)
}

// inSummary reports whether every measure that a view shows is in the summary of some run.
func (w *Board) inSummary(v *View) bool {
	for _, name := range v.Curves {
		has := func(t *Track) bool { return t.Run.Summary().Named(name).Applies() }
		if !slices.ContainsFunc(w.Tracks, has) {
			return false
		}
	}
	for _, name := range []string{v.Bars, v.Beside} {
		has := func(t *Track) bool {
			list := t.Run.Summary().ByGroup.Named(v.Named(name, t.Meta))
			return slices.ContainsFunc(list, measure.Number.Applies)
		}
		if name != "" && !slices.ContainsFunc(w.Tracks, has) {
			return false
		}
	}
	return !v.Phase && !v.Gazes()
}

// leaveOut removes views of measures that no run has, such as those that drolab learnt after the
// runs were recorded. Only views of the last panel and of rates of groups are removed: the others
// belong to the table. Nothing is removed while a run is not done, because it may still get the
// measure.
func (w *Board) leaveOut() {
	going := func(t *Track) bool { return t.Run.Summary().Status != runner.Done }
	if len(w.Tracks) == 0 || slices.ContainsFunc(w.Tracks, going) {
		return
	}
	for i := range w.Panels {
		p, rest := &w.Panels[i], i == len(w.Panels)-1
		views := slices.DeleteFunc(slices.Clone(p.Views), func(v View) bool {
			return (rest && !w.ofStep(&v) || isRate(v.Bars)) && !w.inSummary(&v)
		})
		if len(views) > 0 {
			p.Views = views
		}
	}
}

// ofStep reports whether a view draws a measure of steps, which no evaluation has.
func (w *Board) ofStep(v *View) bool {
	return slices.ContainsFunc(v.Curves, func(name string) bool {
		m, _ := measure.FindMeasure(name)
		return m.OfStep()
	})
}

// isRate reports whether bars are rates of groups.
func isRate(bars string) bool {
	return slices.ContainsFunc(measure.Decisions(), func(m measure.Measure) bool {
		return m.Name == bars
	})
}

// turnToPresent turns panels of predicted runs that have nothing to show to a view that has
// something.
func (w *Board) turnToPresent() {
	if !w.predicted() {
		return
	}
	for i := range w.Panels {
		p := &w.Panels[i]
		had := func(v View) bool { return w.inSummary(&v) }
		if k := slices.IndexFunc(p.Views, had); k >= 0 && !w.inSummary(&p.Views[p.View]) {
			p.View = k
		}
	}
}
