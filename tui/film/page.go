package film

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"drolab/presets"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/plot"

	tea "charm.land/bubbletea/v2"
)

// Page is the film.
type Page struct {
	*lab.Lab
	reel    *reel // nil until it is loaded
	loading bool
	problem error
	at      float64 // seconds of the film
	pauses  bool
	ticked  time.Time
	copying bool // the recording is being copied for a branch
	frame   plot.Frame
	act     int // the preset of a live demonstration
	live    int // the number of runs of the first one that have not ended
}

// New returns the page.
func New(s *lab.Lab) *Page { return &Page{Lab: s} }

// Title implements the interface's page.
func (*Page) Title() string { return "Film" }

// Typing implements the interface's page.
func (*Page) Typing() bool { return false }

// Absent implements the interface's absent: the film has no tab while another page is shown.
func (*Page) Absent() bool { return true }

// Seek implements the interface's absent. At the start of a live demonstration it starts the first
// preset; its runs are shown on Watch.
func (p *Page) Seek() tea.Cmd {
	if p.Config.Live {
		return p.Play()
	}
	return nil
}

// loaded brings the film.
type loaded struct {
	reel *reel
	err  error
}

// moved says that the film went on.
type moved struct{}

// Init plays the film from its beginning.
func (p *Page) Init() tea.Cmd {
	p.at, p.pauses, p.ticked = 0, false, time.Time{}
	if p.reel != nil || p.loading {
		return nil
	}
	p.loading = true
	dir, pictures := p.Config.DataDir, !p.Config.Guest
	return func() tea.Msg {
		r, err := load(dir, pictures)
		return loaded{r, err}
	}
}

// Update implements the interface's page.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case loaded:
		p.reel, p.problem, p.loading = msg.reel, msg.err, false
	case kit.Tick:
		return p.tick(time.Time(msg))
	case lab.Started:
		return p.follow(msg)
	case lab.Ended:
		return p.goOn()
	case nextAct:
		return p.Play()
	case kit.Click:
		p.turn(+1)
	}
	return nil
}

// Pace implements the interface's paced.
func (p *Page) Pace() (time.Duration, bool) { return time.Second / 5, !p.still() }

// still reports whether the film stands.
func (p *Page) still() bool { return p.pauses || p.reel == nil || p.ended() && !p.Config.Loop }

func (p *Page) ended() bool { return p.at >= begins(len(chapters())) }

// stands is the time for which the result stands before a loop begins anew, in seconds.
const stands = 10

// tick moves the film on by the time since the last tick.
func (p *Page) tick(now time.Time) tea.Cmd {
	since := now.Sub(p.ticked).Seconds()
	first := p.ticked.IsZero()
	p.ticked = now
	if first || p.still() {
		return nil
	}
	const most = 1 // after a rest, such as that of a suspended program
	p.at += math.Min(since, most)
	if p.Config.Loop && p.at >= begins(len(chapters()))+stands {
		p.at = 0
	}
	return kit.Send(moved{})
}

// turn goes to the beginning of the next chapter, or to that of this one or the one before.
func (p *Page) turn(by int) {
	at, _ := place(p.at, 1)
	if by < 0 && p.at-begins(at) > 2 {
		by = 0
	}
	if p.ended() && by < 0 {
		by = 0
	}
	p.at = begins(max(0, min(at+by, len(chapters()))))
}

// Keys implements the interface's page.
func (p *Page) Keys() []kit.Key {
	missing := func() string { return kit.Unless(p.reel != nil, notThere) }
	atEnd := func() string { return kit.Unless(p.ended(), onlyAtEnd) }
	before := func() string { return kit.Unless(!p.ended(), atTheEnd) }
	return []kit.Key{
		{Keys: kit.On("enter"), Hint: "train it yourself", Group: kit.ToStart,
			Help: "go to Launch, and train it yourself", Why: atEnd, Alters: true,
			Act: func() tea.Cmd { return kit.Send(lab.Prepare{Preset: preset}) }},
		{Keys: kit.On("enter"), Hint: "watch these runs", Group: kit.ToWatch,
			Help: "leave the film for Watch, at this moment", Why: before, Act: p.leave},
		{Keys: kit.On("F"), Hint: "what if ρ were 1?", Group: kit.ToStart,
			Help: "train on from the recording's checkpoint with ρ = 1", Alters: true,
			Why: func() string { return cmp.Or(missing(), atEnd()) }, Act: p.branch},
		{Keys: kit.On("space"), Hint: "pause", Group: kit.ToWatch, Help: "pause the film, or go on",
			Why: before, Act: kit.Just(func() { p.pauses = !p.pauses })},
		{Keys: kit.On("left", "h"), Hint: "back", Group: kit.ToWatch, Help: "go back by a chapter",
			Act: kit.By(p.turn, -1)},
		{Keys: kit.On("right", "l"), Hint: "on", Group: kit.ToWatch, Help: "go on by a chapter",
			Why: before, Act: kit.By(p.turn, +1)},
	}
}

// leave goes on in Watch, with a replay of the same runs at the same moment.
func (p *Page) leave() tea.Cmd {
	if p.reel == nil {
		return kit.Notify(notThere)
	}
	_, epoch := place(p.at, p.reel.epochs)
	var ids []string
	for _, t := range p.reel.tracks {
		ids = append(ids, t.run.Dir)
	}
	return kit.Send(lab.Watch{IDs: ids, Replay: &lab.Replay{Steps: true,
		From: lab.Place{Part: epoch / p.reel.epochs}}})
}

// preset is the preset whose runs are recorded; radius is that of the branch.
const (
	preset = "shapes"
	radius = 1
)

// Busy implements the interface's busy.
func (p *Page) Busy() string {
	if p.copying {
		return copying
	}
	return ""
}

// branch copies the recorded run into the folder of runs, and trains on from its checkpoint with
// another radius.
func (p *Page) branch() tea.Cmd {
	p.copying = true
	run, dir := p.reel.tracks[hero].run, p.Config.RunsDir
	return func() tea.Msg {
		store, err := record.Open(dir)
		if err != nil {
			return lab.Started{Err: err}
		}
		step, err := store.Restore(run)
		if err == nil && step == 0 {
			err = errors.New("the recording has no checkpoint")
		}
		if err != nil {
			return lab.Started{Err: err}
		}
		s := run.Meta.Spec
		s.Rho = radius
		return p.Start(runner.Request{Preset: run.Meta.Preset, Specs: s.Expand(),
			Parent: fmt.Sprintf("%s@%d", run.Meta.ID, step)})()
	}
}

// A live demonstration trains two presets, one after the other.

// acts are the presets of a live demonstration.
func acts() []string { return []string{"convex", preset} }

// Play starts the next of the presets.
func (p *Page) Play() tea.Cmd {
	s, err := presets.Load(acts()[p.act])
	if err != nil {
		return kit.Complain(err)
	}
	return p.Start(runner.Request{Preset: s.Name, Specs: s.Spec.Expand()})
}

// follow counts the runs of the first preset, which have been started.
func (p *Page) follow(msg lab.Started) tea.Cmd {
	p.copying = false
	if p.Config.Live && p.act == 0 && msg.Err == nil {
		p.live = len(msg.IDs)
	}
	return nil
}

// goOn starts the second preset a while after all runs of the first one have ended.
func (p *Page) goOn() tea.Cmd {
	if p.live--; p.live != 0 {
		return nil
	}
	p.act++
	return tea.Tick(lookOn, func(time.Time) tea.Msg { return nextAct{} })
}

// lookOn is the time for which the end of the first preset stands.
const lookOn = 6 * time.Second

// nextAct says that the second preset is to start.
type nextAct struct{}

// What the page says where it can do nothing.
const (
	notThere  = "The film is still loading"
	onlyAtEnd = "At the end of the film"
	atTheEnd  = "The film has ended: ← goes back"
	copying   = "Copying the recorded run, and starting a branch …"
)
