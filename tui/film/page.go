package film

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"drolab/presets"
	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Page is the film.
type Page struct {
	*lab.Lab
	recording *recording // nil until it is loaded
	err       error      // why it cannot be loaded

	load   func() (*recording, error)
	at     float64 // seconds of the film
	pauses bool
	ticked time.Time
	first  []string // the runs of a live demonstration's first preset, once they are started

	// after sends a message after a while.
	after func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
}

// New returns the page.
func New(s *lab.Lab) *Page {
	return &Page{Lab: s, after: tea.Tick, load: sync.OnceValues(func() (*recording, error) {
		return load(s.Config.UntilLeft(), s.Config.DataDir, !s.Config.Shared)
	})}
}

// Title implements the interface's page.
func (*Page) Title() string { return "Film" }

// Typing implements the interface's page.
func (*Page) Typing() bool { return false }

// Absent implements the interface's absentPage: the film shows in the header only its number while
// another page is shown.
func (*Page) Absent() bool { return true }

// Seek implements the interface's absentPage. At the start of a live demonstration it starts the
// first preset; its runs are shown on Watch.
func (p *Page) Seek() tea.Cmd {
	if p.Config.Live {
		return p.play("convex")
	}
	return nil
}

// Init plays the film from its beginning.
func (p *Page) Init() tea.Cmd {
	p.at, p.pauses = 0, false
	return func() tea.Msg {
		r, err := p.load()
		return loadedMsg{r, err}
	}
}

const (
	// lookEvery is the time between two looks at the runs of a live demonstration's first preset.
	lookEvery = time.Second / 2
	// endTime is the time for which the end of these runs stands.
	endTime = 6 * time.Second
)

// Update implements the interface's page.
func (p *Page) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case loadedMsg:
		p.recording, p.err = msg.recording, msg.err
	case kit.Tick:
		return p.tick(time.Time(msg))
	case kit.Click:
		p.turn(+1)
	case lab.Started:
		if p.Config.Live && p.first == nil && len(msg.IDs) > 0 {
			p.first = msg.IDs
			return p.lookAtFirst()
		}
	case firstEndedMsg:
		if !msg {
			return p.lookAtFirst()
		}
		return p.after(endTime, func(time.Time) tea.Msg { return nextActMsg{} })
	case nextActMsg:
		return p.play(preset)
	}
	return nil
}

// lookAtFirst looks, after a while, whether the runs of the first preset have ended. Their
// directories tell it, however early the runs end: Watch sends lab.Ended only for runs that it has
// seen live.
func (p *Page) lookAtFirst() tea.Cmd {
	find, first := p.Source.Find, p.first
	return p.after(lookEvery, func(time.Time) tea.Msg {
		for _, id := range first {
			r, err := find(id)
			if err == nil && !r.Status().Ended() { // a run that was deleted is over
				return firstEndedMsg(false)
			}
		}
		return firstEndedMsg(true)
	})
}

// Pace implements the interface's pacer.
func (p *Page) Pace() (time.Duration, bool) { return time.Second / 5, !p.still() }

// still reports whether the film stands.
func (p *Page) still() bool { return p.pauses || p.recording == nil || p.ended() && !p.Config.Loop }

func (p *Page) ended() bool { return p.at >= length }

// tick moves the film on by the time since the last tick.
func (p *Page) tick(now time.Time) tea.Cmd {
	const (
		rest   = 5 * time.Second // such as that of a suspended program, which counts as none
		stands = 10              // seconds for which the result stands before a loop begins anew
	)
	since := now.Sub(p.ticked)
	p.ticked = now
	if since < 0 || since > rest || p.still() {
		return nil
	}
	p.at += since.Seconds()
	if p.Config.Loop && p.at >= length+stands {
		p.at = 0
	}
	return kit.Send(movedMsg{})
}

// turn goes to the end of the chapter or, if by is -1, to its beginning. Where it has just begun,
// that is the beginning of the one before.
func (p *Page) turn(by int) {
	const justBegun = 2
	at, _ := place(p.at)
	if by > 0 {
		at++
	} else if p.at <= chapterBefore(at).until+justBegun {
		at--
	}
	p.at = chapterBefore(max(0, at)).until
}

// Keys implements the interface's page.
func (p *Page) Keys() []kit.Key {
	return []kit.Key{
		{Keys: kit.On("enter"), Hint: "train it yourself", Group: kit.ToStart,
			Help: "go to Launch, and train it yourself", Why: p.notEnded, Alters: true,
			Act: func() tea.Cmd { return p.Opening(kit.Send(lab.Prepare{Preset: preset})) }},
		{Keys: kit.On("enter"), Hint: "watch these runs", Group: kit.ToWatch,
			Help: "leave the film for Watch, at this moment", Why: p.hasEnded, Act: p.leave},
		{Keys: kit.On("F"), Hint: "fork with ρ = 1", Group: kit.ToStart,
			Help: "train on from the recording's checkpoint with ρ = 1", Alters: true,
			Why: p.noFork, Act: p.fork},
		{Keys: kit.On("space"), Hint: "pause", Group: kit.ToWatch, Help: "pause the film, or go on",
			Why: p.hasEnded, Act: kit.Just(func() { p.pauses = !p.pauses })},
		{Keys: kit.On("left", "h"), Hint: "back", Group: kit.ToWatch, Help: "go back by a chapter",
			Act: kit.By(p.turn, -1)},
		{Keys: kit.On("right", "l"), Hint: "on", Group: kit.ToWatch, Help: "go on by a chapter",
			Why: p.hasEnded, Act: kit.By(p.turn, +1)},
	}
}

// notEnded says that the film has to end first.
func (p *Page) notEnded() string { return kit.Unless(p.ended(), "At the end of the film") }

// hasEnded says that the film is over.
func (p *Page) hasEnded() string {
	return kit.Unless(!p.ended(), "The film has ended: ← goes back")
}

// noFork says why no fork can be trained.
func (p *Page) noFork() string { return cmp.Or(p.missing(), p.notEnded()) }

// missing says that the recording is not there yet.
func (p *Page) missing() string {
	return kit.Unless(p.recording != nil, "The film is still loading")
}

// leave goes on in Watch, with a replay of the same runs at the same moment.
func (p *Page) leave() tea.Cmd {
	if why := p.missing(); why != "" {
		return kit.Notify(why)
	}
	_, part := place(p.at)
	dir := func(t *track) string { return t.Dir }
	return kit.Send(lab.Watch{IDs: lists.Map(p.recording.tracks, dir),
		Replay: &lab.Replay{Steps: true, From: lab.Place{Part: part}}})
}

// preset is the preset whose runs are recorded; radius is that of the fork.
const preset, radius = "shapes", 1

// fork copies the recorded run into the folder of runs, and trains on from its checkpoint with
// another radius.
func (p *Page) fork() tea.Cmd {
	p.Starting = "Copying the recorded run, and starting a fork …"
	run := p.recording.tracks[mainMethod].Run
	return func() tea.Msg {
		var step int64
		store, err := record.Open(p.Config.RunsDir)
		if err == nil {
			step, err = store.Restore(run)
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

// play starts a preset of a live demonstration.
func (p *Page) play(name string) tea.Cmd {
	s, err := presets.Load(name)
	if err != nil {
		return kit.Complain(err)
	}
	p.Starting = fmt.Sprintf("Starting the runs of %s …", name)
	return p.Start(runner.Request{Preset: s.Name, Specs: s.Spec.Expand(), Parts: s.Parts()})
}
