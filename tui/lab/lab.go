package lab

import (
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/eventlog"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// Lab is the state that all pages share.
type Lab struct {
	Config Config
	Source Source
	Theme  *kit.Theme
	// Mine are the runs that this process was asked to start or resume.
	Mine map[string]bool
	// Body is the pages' part of the screen. A page lays itself out by it to find what the mouse
	// points at.
	Body kit.Rect
	// Colors holds the numbers of the configurations in the folder, as of the last look at it.
	Colors Colors
	looks  looks
	asked  bool // something was asked of the Verbs, which are made for the first request
	// Newcomer says that the folder had no run when the interface began.
	Newcomer bool
	// Round is the time in which each part of a page has its turn to show what is new; 0 shows
	// everything at once.
	Round time.Duration
	// Starting says which runs were asked for and are not answered for yet; "" for none. A start
	// may take seconds, because it reads data. A key that is typed meanwhile was meant for the
	// screen before the start, and does nothing, except to leave.
	Starting string
}

// Reader is a Source or Verbs that says how far it is when it reads what takes long.
type Reader interface {
	Reading() *runner.Reading // nil: nothing is being read
}

// Reading says what is being read that takes long, data or runs; nil for nothing.
func (s *Lab) Reading() *runner.Reading {
	const few = 100 // are read in a moment
	var now *runner.Reading
	if by, ok := s.Config.Verbs.(Reader); ok && s.asked {
		now = by.Reading()
	}
	if by, ok := s.Source.(Reader); ok && now == nil {
		now = by.Reading()
	}
	if now == nil || now.Of < few {
		return nil
	}
	return now
}

// Started returns the runs of this process, sorted by name.
func (s *Lab) Started() []string { return slices.Sorted(maps.Keys(s.Mine)) }

// Controls reports whether a run takes requests while it is live. Only the process that runs it
// takes them, which is this one or a process for all runs.
func (s *Lab) Controls(id string) bool { return s.Config.RunsGoOn || s.Mine[id] }

// Start asks for runs; the answer is Started.
func (s *Lab) Start(r runner.Request) tea.Cmd {
	s.asked = true
	return func() tea.Msg {
		ids, err := s.Config.Verbs.Start(r)
		parent, _, _ := runner.ParseParent(r.Parent) // "" for a run of its own
		return Started{IDs: ids, Err: err, Parent: parent}
	}
}

// Ask asks something of a run: "pause", "resume", "stop" or "checkpoint". The answer is Answered.
func (s *Lab) Ask(verb, id string) tea.Cmd {
	return s.send(runner.Order{Verb: runner.Verb(verb), Run: id}, "")
}

// Turn asks for another value of a setting; the answer is Answered.
func (s *Lab) Turn(id, key, value string) tea.Cmd { return s.turn(id, key, value, setTo) }

// TurnBack asks for the value that a setting had before; the answer is Answered.
func (s *Lab) TurnBack(id, key, value string) tea.Cmd { return s.turn(id, key, value, setBack) }

func (s *Lab) turn(id, key, value, done string) tea.Cmd {
	o := runner.Order{Verb: runner.Knob, Run: id, Key: key, Value: value}
	return s.send(o, fmt.Sprintf(done, key, value))
}

func (s *Lab) send(o runner.Order, done string) tea.Cmd {
	v := s.Config.Verbs
	s.asked = true
	return func() tea.Msg {
		step, err := v.CarryOut(o)
		if o.Verb == runner.Checkpoint {
			done = fmt.Sprintf(savedAt, step)
		}
		return Answered{Verb: string(o.Verb), ID: o.Run, Done: done, Err: err}
	}
}

// Config is the world as the interface sees it.
type Config struct {
	Verbs runner.Verbs
	// RunsGoOn says that another process runs the runs: leaving ends none.
	RunsGoOn bool
	// ReadOnly says that Verbs refuse everything, and that nothing is deleted.
	ReadOnly bool
	// Guest says that the viewer need not be the user who started the program: only files of runs
	// are read, and none is written. ReadOnly goes with it.
	Guest bool
	Opening
	// Replay makes the interface begin with a replay of the runs of Kept. The runs of Kept are all
	// that is shown; if it is nil, the runs in RunsDir are shown.
	Replay *Replay
	Kept   *Kept
	// Programs knows the programs that the user has started; no other program is started. "" asks
	// about none, and no program evaluates.
	Programs bridge.Approvals
	// StopSweep stops the sweep in a folder; its runs stop with a checkpoint. nil cannot stop any.
	StopSweep func(dir string) error
	// Story gets the story of the watched runs when the interface is left; nil gets none.
	Story func(sentence string)
	// RunsDir and DataDir are the folders of the runs and of the datasets.
	RunsDir, DataDir string
	Remembering
	// CPU is this machine's processor, as recorded in the runs that were trained on it.
	CPU string
	// Cores is the number of its cores that runs may use.
	Cores int
	// Dir is a folder whose presets are listed beside the program's own; "" is none.
	Dir string
	// Ring says what the terminal itself is told.
	Ring Ring
	// Stdin and Stdout are the terminal.
	Stdin  io.Reader
	Stdout io.Writer
	// Environ is the environment, as os.Environ gives it. The interface reads TERM, COLORTERM,
	// NO_COLOR, DROLAB_ASCII, DROLAB_CONTRAST, SSH_CONNECTION, SSH_TTY and the locale.
	Environ []string
}

// Opening says how the interface begins; the zero Opening begins with Launch.
type Opening struct {
	Attach bool // with the runs that are live, or the newest
	Film   bool // with the film
	Loop   bool // which is played again and again
	Live   bool // with runs that it starts for a demonstration
}

// Remembering holds the folders of what is remembered about folders of runs; "" remembers nothing.
type Remembering struct {
	Catalogues string // the catalogues of the runs in them
	Views      string // how the user looks at them
}

// Ring says what the terminal itself is told of the watched runs; the zero Ring tells it nothing.
// Terminals disagree on the sequences, and some write unknown ones onto the screen, so the user
// chooses them.
type Ring struct {
	Notify   string // "9" or "777": the sequence that tells of a run that is done or failed
	Progress bool   // show the progress of the runs on the window's icon or tab (OSC 9;4)
}

// ParseRing reads "9", "777", "progress" or two of them with a comma; "" or "off" tells nothing.
func ParseRing(text string) (r Ring, err error) {
	for word := range strings.SplitSeq(text, ",") {
		switch word = strings.TrimSpace(word); word {
		case "", "off":
		case "9", "777":
			r.Notify = word
		case "progress":
			r.Progress = true
		default:
			return Ring{}, fmt.Errorf(
				"ring: %q: want 9, 777 or progress, or two of them as 9,progress", word)
		}
	}
	return r, nil
}

// Ended says that a watched run is done or has failed.
type Ended struct {
	Name   string
	Status runner.Status
}

// Source is where the interface reads runs. Commands call it; one call at a
// time for each log.
type Source interface {
	record.Source
	// List returns every run, newest first, and an error for each directory
	// that cannot be read.
	List() (runs []*record.Run, problems []error)
	// Delete removes a run that nobody records, for good.
	Delete(id string) error
}

// Evaluations returns the log of a run with only its evaluations, and with the events that say
// which of them stand. A log that cannot tell events apart gives all of them.
func Evaluations(s Source, r *record.Run) Log {
	log := s.Open(r)
	if l, ok := log.(interface{ Only(types ...string) }); ok {
		l.Only("eval")
	}
	return log
}

// Log gives the events of a run as they are appended.
type Log = eventlog.Log

// Folder is the Source of a folder of run directories.
type Folder string

// List implements Source.
func (f Folder) List() ([]*record.Run, []error) { return record.List(string(f)) }

// Find implements Source.
func (f Folder) Find(id string) (*record.Run, error) { return record.Find(string(f), id) }

// Open implements Source.
func (Folder) Open(r *record.Run) Log { return r.Tail() }

func (f Folder) Delete(id string) error { return record.Delete(string(f), id) }

// Remembered is a Folder with its catalogue.
type Remembered struct {
	Folder
	catalogue *record.Catalogue
	reading   *atomic.Pointer[runner.Reading]
}

// Remember returns the folder of runs dir. Its catalogue is in the folder cache; "" keeps none.
// With looks the runs are only looked at, and nothing is written to cache.
func Remember(dir, cache string, looks bool) Remembered {
	c := record.NewCatalogue(dir, cache)
	c.ReadOnly = looks
	r := Remembered{Folder: Folder(dir), catalogue: c, reading: &atomic.Pointer[runner.Reading]{}}
	const patience = 500 * time.Millisecond // a reading that is over by then shows nothing
	var pace runner.ReadingPace
	var began time.Time
	c.Progress = func(done, of int) error {
		at := time.Now()
		if done == 0 {
			pace, began = runner.ReadingPace{}, at
		}
		left := pace.Left(done, of, at)
		switch {
		case done == of:
			r.reading.Store(nil)
		case at.Sub(began) >= patience:
			r.reading.Store(&runner.Reading{What: "runs", Done: done, Of: of, Left: left})
		}
		return nil
	}
	return r
}

// Reading says how many runs of the folder are read, while many of them are; nil otherwise.
func (f Remembered) Reading() *runner.Reading { return f.reading.Load() }

// List implements Source.
func (f Remembered) List() ([]*record.Run, []error) { return f.catalogue.List() }

// Shown is a Source from which nothing can be deleted.
type Shown struct{ Source }

// Delete implements Source.
func (Shown) Delete(string) error { return errShown }

// InSmall returns a Source whose long logs give what lies far back in small, for curves: see
// eventlog.InSmall. With keep it may write an index beside a log.
func InSmall(s Source, keep bool) record.Source { return inSmall{s, keep} }

type inSmall struct {
	Source
	keep bool
}

// Open implements Source.
func (t inSmall) Open(r *record.Run) Log { return eventlog.InSmall(t.Source.Open(r), t.keep) }

// How often the folder is looked at while the page is shown: listing costs a few files a run. The
// end of a run is seen sooner: see Ends.
const (
	lookLive    = 500 * time.Millisecond // while a run is live
	lookIdle    = 10 * time.Second
	lookingLive = 4 // looking takes at most one part in so many of the time
	lookingIdle = 10
)

// LookAfter returns how long the result of a look at the folder stands; took is the time that the
// look took.
func LookAfter(live bool, took time.Duration) time.Duration {
	if live {
		return max(lookLive, lookingLive*took)
	}
	return max(lookIdle, lookingIdle*took)
}

// looks is the state of looking at the folder of runs. One look at a time is under way.
type looks struct {
	listed  time.Time     // the tick at which it was listed last
	took    time.Duration // the time that listing it took
	changed time.Time     // when it had last changed before that, by the clock of its disk
	busy    bool          // a look is under way
	again   bool          // the runs were asked for meanwhile
}

// List asks for all runs of the folder; the answer is Listed.
func (s *Lab) List() tea.Cmd {
	if s.looks.again = s.looks.busy; s.looks.busy {
		return nil
	}
	return s.look(true)
}

// Look looks at the folder at a tick. It asks for all runs if the folder got or lost one, which
// costs a look at the folder alone, or if they were last asked for longer ago than after.
func (s *Lab) Look(now time.Time, after time.Duration) tea.Cmd {
	if s.looks.busy {
		return nil
	}
	list := now.Sub(s.looks.listed) > after
	if list {
		s.looks.listed = now
	}
	return s.look(list)
}

// After returns how long the runs of the folder stand that were listed last.
func (s *Lab) After(live bool) time.Duration { return LookAfter(live, s.looks.took) }

// Never is longer than any time between two looks.
const Never = time.Duration(math.MaxInt64)

// look lists the runs of the folder, or only if it has changed.
func (s *Lab) look(list bool) tea.Cmd {
	s.looks.busy = true
	source, dir, before := s.Source, s.Config.RunsDir, s.looks.changed
	return func() tea.Msg {
		began, changed := time.Now(), time.Time{}
		if info, err := os.Stat(dir); err == nil {
			changed = info.ModTime()
		}
		if !list && changed.Equal(before) {
			return Unchanged{}
		}
		runs, problems := source.List()
		return Listed{runs, problems, time.Since(began), changed}
	}
}

// Note takes in the answer to a look, a Listed or an Unchanged, before the pages do.
func (s *Lab) Note(answer tea.Msg) tea.Cmd {
	s.looks.busy = false
	if m, ok := answer.(Listed); ok {
		s.looks.took, s.looks.changed = m.Took, m.Changed
	}
	if !s.looks.again {
		return nil
	}
	return s.List()
}

// Unchanged says that the folder has the runs that it had.
type Unchanged struct{}

// Live returns the runs that have not ended.
func Live(runs []*record.Run) []*record.Run {
	return slices.DeleteFunc(slices.Clone(runs),
		func(r *record.Run) bool { return r.Status().Ended() })
}

// Over brings runs that were live and have ended, as they are now.
type Over struct{ Runs []*record.Run }

// Ends returns the live runs that have ended. Whoever records a run holds its lock. So one look at
// each of these files is enough, and nothing is read of a run that goes on.
func Ends(s Source, live []*record.Run) (m Over) {
	for _, r := range live {
		if r.Held() {
			continue
		}
		now, err := s.Find(r.Dir)
		if err != nil { // it is gone, or cannot be read any more
			now = r
		} else if !now.Status().Ended() { // somebody resumed it meanwhile
			continue
		}
		m.Runs = append(m.Runs, now)
	}
	return m
}

// Started is the answer to a request to start runs.
type Started struct {
	IDs    []string
	Err    error
	Parent string // of forks, the run that they come from
}

// Answered is the answer to something that was asked of one run: "pause",
// "resume", "stop", "checkpoint" or "knob".
type Answered struct {
	Verb, ID string
	Done     string // what has been done; empty: it was asked for
	Err      error
}

// Watch asks the Watch page to show these runs in place of what it shows; without IDs the newest,
// or all runs of Kept. With Replay they are shown as if they trained now.
type Watch struct {
	IDs    []string
	Replay *Replay
	// Ghost is the one of IDs that the others are raced against; "" is none.
	Ghost string
}

// Film asks for the film, and Prepare asks the Launch page to review the start of a preset.
type (
	Film    struct{}
	Prepare struct{ Preset string }
)

// Failed ends the interface: what it was opened for cannot be shown.
type Failed struct{ Err error }

// MaxWatched is the maximum number of runs that are watched at once: three seeds of as many
// configurations as there are colours.
const MaxWatched = 3 * kit.Colors

// Compare asks the Compare page for a table of these runs, as they stood a moment ago.
type Compare struct{ Runs []*record.Run }

// Comparing asks for a table of the runs of these names, as they are now.
func (s *Lab) Comparing(names []string) tea.Cmd {
	return func() tea.Msg {
		var m Compare
		for _, name := range names {
			if r, err := s.Source.Find(name); err == nil { // otherwise the run is gone by now
				m.Runs = append(m.Runs, r)
			}
		}
		return m
	}
}

// Listed brings all runs of the folder, newest first.
type Listed struct {
	Runs     []*record.Run
	Problems []error
	Took     time.Duration // time that reading them took
	Changed  time.Time     // when the folder had last changed, before they were read
}

// Fork asks for the form that starts a run from a checkpoint of another: the checkpoint nearest to
// the step Near, or the newest if Near is 0.
type Fork struct {
	Run  *record.Run
	Near int64
}

// Samples asks the Samples page for the samples that weigh most at a run's checkpoint.
type Samples struct{ Run *record.Run }

// Trusting returns a command that starts runs of a spec. If they train a program whose file, as it
// is now, the user has not started before, it asks first: presets and folders of runs may come from
// a stranger. Where it cannot ask, the code that starts runs refuses the program and says why.
func (s *Lab) Trusting(of *spec.Spec, start tea.Cmd) tea.Cmd {
	p, ok := of.Program()
	programs := s.Config.Programs
	if !ok || programs == "" || !filepath.IsAbs(p.Path) {
		return start
	}
	return func() tea.Msg {
		sum, started, err := programs.Status(p.Path)
		if started || err != nil {
			return start()
		}
		trust := func() tea.Msg {
			if err := programs.ApproveAs(p.Path, sum); err != nil {
				return kit.Complain(err)()
			}
			return start()
		}
		lines := []string{"program  " + cell.OneLine(p.Path), "sha256   " + sum}
		if len(p.Words) > 0 {
			lines = append(lines, "args     "+cell.OneLine(strings.Join(p.Words, " ")))
		}
		lines = append(append(lines, ""), kit.Wrap(untrusted, 72)...)
		return kit.Question("Start this program?", lines,
			kit.Choice{Keys: []string{"y"}, Name: "trust and start", Then: trust})()
	}
}
