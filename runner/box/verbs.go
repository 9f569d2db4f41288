package box

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"drolab/runner"
	"drolab/runner/data/source"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// A Link sends verbs to its box: they act there, through the engine of that machine or on the
// record of a run. The box decides everything; what comes back is an answer, never something to do.

// ask asks for one thing: one of the fields behind Again is set.
type ask struct {
	Seq int64 `json:"seq"`
	// Again says that an answer was lost. What is asked may have been carried out.
	Again  bool            `json:"again,omitempty"`
	Start  *runner.Request `json:"start,omitempty"` // with the names of its runs
	Order  *runner.Order   `json:"order,omitempty"`
	Change *Change         `json:"change,omitempty"`
	// Settings asks for those of a fork from a checkpoint, which only the box has.
	Settings *checkpoint `json:"settings,omitempty"`
	// Datasets and Foresee ask what a start would find. Nothing is written for them.
	Datasets bool        `json:"datasets,omitempty"`
	Foresee  *foreseeing `json:"foresee,omitempty"`
}

// checkpoint is one of a run.
type checkpoint struct {
	Run  string `json:"run"`
	Step int64  `json:"step"`
}

// Change changes the record of a run: one of the fields behind Run is set.
type Change struct {
	Run    string            `json:"run"`
	Delete bool              `json:"delete,omitempty"`
	Label  *record.LabelEdit `json:"label,omitempty"`
	Pin    *int64            `json:"pin,omitempty"` // the step of a checkpoint
	Unpin  *int64            `json:"unpin,omitempty"`
}

// answer answers the ask with the same number.
type answer struct {
	Seq  int64      `json:"seq"`
	Step int64      `json:"step,omitempty"` // of a checkpoint that is on disk
	Spec *spec.Spec `json:"spec,omitempty"` // the settings that were asked for
	// Datasets and Forecast are those that were asked for.
	Datasets []dataset       `json:"datasets,omitempty"`
	Forecast *train.Forecast `json:"forecast,omitempty"`
	Error    string          `json:"error,omitempty"`
	Fault    *runner.Fault   `json:"fault,omitempty"` // the kind of the error, if known
	// Later says that this side is still at it. Such an answer is not the last.
	Later   bool            `json:"later,omitempty"`
	Reading *runner.Reading `json:"reading,omitempty"`
}

// Times of verbs.
const (
	// answerTime is how long an answer is waited for. It is more than an engine and its client
	// take. Answers that come later prolong it where a verb takes long.
	answerTime = 20 * time.Second
	laterEvery = 2 * time.Second // between two answers that are not the last
	// patience is how long a start waits for a link that was lost before its answer came.
	patience = time.Minute
)

// takesLong reports whether what is asked may read a whole dataset.
func (a *ask) takesLong() bool {
	return a.Start != nil || a.Foresee != nil || a.Order != nil && a.Order.Verb == runner.Resume
}

// asking is an ask that waits for its answer.
type asking struct {
	seq   int64
	later chan struct{} // has room for one
	final chan *answer  // has room for one
	lost  chan struct{} // closed when the conversation has ended
	since time.Time
}

// requests are the asks of a link, by their numbers. The link's mutex guards them.
type requests struct {
	last    int64
	waiting map[int64]*asking
	again   int                            // asks that wait for the link, to be made again
	reading atomic.Pointer[runner.Reading] // of the start under way
}

// Errors of an ask that was not answered.
var (
	errLost = errors.New("the link was lost before the answer came")
	errLate = fmt.Errorf("no answer came for %v", answerTime)
)

// Start implements runner.Verbs. The runs are named here, so that a start whose answer was lost is
// asked for again once the link is back, and is never made twice.
func (l *Link) Start(r runner.Request) ([]string, error) {
	r.Means = runner.Means{Until: r.Until} // paths and threads of this machine mean nothing there
	if len(r.IDs) == 0 {
		r.IDs = l.nameRuns(&r)
	}
	for _, s := range r.Specs {
		if err := l.CheckPaths(s); err != nil {
			return nil, err
		}
	}
	_, err := l.exchangeAgain(&ask{Start: &r})
	if isUnanswered(err) {
		return nil, fmt.Errorf("box %s: %w: the runs may have been started (%s ...): "+
			"the list of runs tells once the link is back", l.box, err, r.IDs[0])
	}
	if err != nil {
		return nil, err
	}
	l.awaitHeads(r.IDs)
	return r.IDs, nil
}

// awaitHeads waits until the mirror has the heads of runs that have started. They come before the
// answer, except where another process writes the mirror, to which the box sends them a moment
// later.
func (l *Link) awaitHeads(ids []string) {
	const longest = 3 * time.Second
	missing := func(id string) bool {
		_, err := record.Find(l.dir, filepath.Join(l.dir, id))
		return err != nil
	}
	until := l.now().Add(longest)
	for l.State().Elsewhere && slices.ContainsFunc(ids, missing) && l.now().Before(until) {
		wait(context.Background(), LookEvery)
	}
}

// nameRuns returns a name for each run of a request.
func (l *Link) nameRuns(r *runner.Request) (ids []string) {
	seen := map[string]bool{}
	for _, s := range r.Specs {
		m := &runner.Meta{Preset: r.Preset, Spec: s, Created: l.now()}
		id := record.ProposeID(m)
		for seen[id] {
			id = record.ProposeID(m)
		}
		seen[id] = true
		ids = append(ids, id)
	}
	return ids
}

// CheckPaths refuses relative paths, which are of this machine. A fork has its paths from the box.
func (l *Link) CheckPaths(s spec.Spec) error {
	under := func(folder string) spec.Spec {
		moved := s
		moved.Dataset = source.Locate(s.Dataset, folder)
		moved.SettleProgram(folder)
		return moved
	}
	one, two := under("/one"), under("/two")
	for _, name := range [][3]string{
		{one.Dataset, two.Dataset, s.Dataset}, {one.Model, two.Model, s.Model},
	} {
		if name[0] != name[1] {
			return fmt.Errorf("box %s: %.200q has a path of this machine: "+
				"give an absolute path on the box", l.box, name[2])
		}
	}
	return nil
}

// CarryOut implements runner.Verbs.
func (l *Link) CarryOut(o runner.Order) (step int64, err error) {
	got, err := l.exchange(&ask{Order: &o})
	if err != nil {
		return 0, l.sayUnanswered(fmt.Sprintf("%s of run %s", o.Verb, o.Run), err)
	}
	return got.Step, nil
}

// Change changes the record of a run.
func (l *Link) Change(c Change) error {
	_, err := l.exchange(&ask{Change: &c})
	return l.sayUnanswered("the change of run "+c.Run, err)
}

// Settings returns the settings of a fork from a checkpoint of a run.
func (l *Link) Settings(run string, step int64) (spec.Spec, error) {
	got, err := l.exchangeAgain(&ask{Settings: &checkpoint{run, step}})
	switch {
	case isUnanswered(err):
		return spec.Spec{}, fmt.Errorf("box %s: %w: nothing was started", l.box, err)
	case err != nil:
		return spec.Spec{}, err
	case got.Spec == nil:
		return spec.Spec{}, fmt.Errorf("box %s: the answer has no settings", l.box)
	}
	return *got.Spec, nil
}

// isUnanswered reports whether what was asked may have been done all the same.
func isUnanswered(err error) bool { return errors.Is(err, errLost) || errors.Is(err, errLate) }

// sayUnanswered adds to an error that what was asked may have been done.
func (l *Link) sayUnanswered(what string, err error) error {
	if !isUnanswered(err) {
		return err
	}
	return fmt.Errorf("box %s: %w: %s may have been done", l.box, err, what)
}

// Reading says how far the data are that a start reads on the box; nil if none is reading.
func (l *Link) Reading() *runner.Reading { return l.requests.reading.Load() }

// exchange asks for something, and waits for the answer.
func (l *Link) exchange(a *ask) (*answer, error) {
	w, out, err := l.begin()
	if err != nil {
		return nil, err
	}
	defer l.end(w)
	a.Seq = w.seq
	text, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	timer := time.NewTimer(answerTime)
	defer timer.Stop()
	if err := out.send(&frame{Ask: text}); errors.Is(err, errTooLong) {
		return nil, fmt.Errorf("box %s: %w: nothing was sent", l.box, err)
	} // any other error ends the conversation
	for {
		select {
		case got := <-w.final:
			return got, l.errorOf(got)
		case <-w.later:
			if a.takesLong() {
				timer.Reset(answerTime)
			}
		case <-w.lost:
			return nil, errLost
		case <-timer.C:
			return nil, errLate
		}
	}
}

// exchangeAgain asks as exchange does, and once more whenever the answer was lost and the link is
// back: for what may be asked twice and is done at most once.
func (l *Link) exchangeAgain(a *ask) (*answer, error) {
	got, err := l.exchange(a)
	for errors.Is(err, errLost) && l.awaitLink() { // AsksAgain says so meanwhile
		a.Again = true
		got, err = l.exchange(a)
	}
	return got, err
}

// begin returns a place for the answer of an ask, and where to send it.
func (l *Link) begin() (*asking, *sender, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil {
		return nil, nil, fmt.Errorf("%s: nothing was sent", l.sayNoLink())
	}
	l.requests.last++
	w := &asking{seq: l.requests.last, later: make(chan struct{}, 1),
		final: make(chan *answer, 1), lost: make(chan struct{}), since: l.now()}
	if l.requests.waiting == nil {
		l.requests.waiting = map[int64]*asking{}
	}
	l.requests.waiting[w.seq] = w
	return w, l.out, nil
}

func (l *Link) end(w *asking) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.requests.waiting, w.seq)
	l.requests.reading.Store(nil)
}

// sayNoLink says since when there is no link. The caller holds mu.
func (l *Link) sayNoLink() string {
	age := "yet"
	if s := l.state; !s.Since.IsZero() {
		age = fmt.Sprintf("for %d s", int(l.now().Sub(s.Since).Seconds()))
	}
	return fmt.Sprintf("box %s: no link %s", l.box, age)
}

// NoLink says why nothing can be asked of the box now; "" if it can.
func (l *Link) NoLink() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.out == nil {
		return l.sayNoLink()
	}
	return ""
}

// takeAnswer takes in an answer. One that nobody waits for is passed over.
func (l *Link) takeAnswer(a *answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.requests.waiting[a.Seq]
	switch {
	case w == nil:
	case a.Later:
		l.requests.reading.Store(cleanReading(a.Reading))
		select {
		case w.later <- struct{}{}:
		default: // one waits already
		}
	default:
		delete(l.requests.waiting, a.Seq)
		w.final <- a
	}
}

// cleanReading returns what a box says of a reading as a terminal may show it.
func cleanReading(r *runner.Reading) *runner.Reading {
	if r == nil {
		return nil
	}
	const most = 40
	return &runner.Reading{What: runner.OneLine(r.What, most), Done: max(0, min(r.Done, r.Of)),
		Of: max(0, r.Of), Left: max(0, r.Left)}
}

// errorOf returns the error that an answer reports, in words that a terminal may show.
func (l *Link) errorOf(a *answer) error {
	if a.Error == "" {
		return nil
	}
	const most = 500
	kind := a.Fault
	if kind != nil {
		kind = &runner.Fault{Code: kind.Code, Key: runner.OneLine(kind.Key, most),
			Value: runner.OneLine(kind.Value, most), Want: runner.OneLine(kind.Want, most),
			What: runner.OneLine(kind.What, most)}
	}
	text := cmp.Or(runner.OneLine(a.Error, most), "an error without words")
	return runner.DistantError(fmt.Sprintf("box %s: %s", l.box, nameBox(text, l.box)), kind)
}

// AsksAgain reports whether something will be asked of the box again once the link is back, since
// the link was lost before the answer came.
func (l *Link) AsksAgain() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.requests.again > 0
}

// Unanswered returns for how long the oldest ask has waited for its answer; 0 if none waits.
func (l *Link) Unanswered() (longest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.requests.waiting {
		longest = max(longest, l.now().Sub(w.since))
	}
	return longest
}

// addAgain counts asks that wait for the link.
func (l *Link) addAgain(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests.again += n
	l.change()
}

// awaitLink waits for a link that was lost, for a while. It reports whether it is back.
func (l *Link) awaitLink() bool {
	l.addAgain(1)
	defer l.addAgain(-1)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		changed := l.Changed()
		if l.NoLink() == "" {
			return true
		}
		select {
		case <-changed:
		case <-l.over:
			return false
		case <-timer.C:
			return false
		}
	}
}

var _ runner.Verbs = (*Link)(nil)
