package tui

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/record"

	tea "charm.land/bubbletea/v2"
)

// script is a Source over real run directories whose logs are given: a log
// tells what it has up to the script's time.
type script struct {
	folder
	logs map[string][]runner.Event
	now  time.Time
}

func (s *script) Open(r *record.Run) Log { return &scriptLog{s: s, events: s.logs[r.Meta.ID]} }

type scriptLog struct {
	s      *script
	events []runner.Event
	at     int
}

func (l *scriptLog) Skipped() int { return 0 }

func (l *scriptLog) Read() ([]runner.Event, error) {
	from := l.at
	for l.at < len(l.events) && !l.events[l.at].Header().Time.After(l.s.now) {
		l.at++
	}
	return l.events[from:l.at], nil
}

// asked notes what is asked of runs, and does nothing.
type asked struct{ list []string }

func (a *asked) Start(runner.Request) ([]string, error) { return nil, errors.New("no room for a run") }
func (a *asked) Pause(id string) error                  { a.list = append(a.list, "pause"); return nil }
func (a *asked) Resume(id string) error                 { a.list = append(a.list, "resume"); return nil }
func (a *asked) Stop(id string) error                   { a.list = append(a.list, "stop"); return nil }
func (a *asked) Checkpoint(id string) error             { a.list = append(a.list, "checkpoint"); return nil }
func (a *asked) Knob(id, key, value string) error {
	a.list = append(a.list, "knob "+key+"="+value)
	return nil
}

// epoch0 is when the scripted runs start.
func epoch0() time.Time { return time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC) }

// The scripted runs: steps an epoch, epochs, seconds a step.
const (
	fixSteps  = 40
	fixEpochs = 8
	fixPace   = 0.05
)

// fixture makes a folder with one run of each algorithm, and their script.
// Half-way through, three quarters of everything that will be is there.
func fixture(t testing.TB) *script {
	t.Helper()
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &script{folder: folder(store.Dir()), logs: map[string][]runner.Event{}, now: epoch0()}
	for i, a := range dro.Algorithms() {
		m := fixtureMeta(a, epoch0().Add(time.Duration(i)*time.Second))
		r, err := store.Create(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Append(&runner.StatusEvent{Status: runner.Running}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		s.logs[m.ID] = training(a, i, fixSteps, fixEpochs)
	}
	return s
}

func fixtureMeta(a dro.Algorithm, at time.Time) *runner.Meta {
	spec := runner.Defaults()
	spec.Algorithms, spec.Epochs = []dro.Algorithm{a}, fixEpochs
	m := &runner.Meta{Preset: "shapes", Created: at, Spec: spec, StepsPerEpoch: fixSteps, Steps: fixSteps * fixEpochs,
		Box: dro.Box{Lambda: [2]float64{0.1, 10}, Eta: [2]float64{-10, 10}}}
	for i, name := range []string{"circle", "hexagon", "star", "cross", "hexagram", "rhombus", "square", "crescent", "ring", "triangle"} {
		m.Classes, m.Groups = append(m.Classes, name), append(m.Groups, name)
		m.TrainCounts, m.TestCounts = append(m.TrainCounts, 200+61*i%500), append(m.TestCounts, 200)
	}
	return m
}

// training is a made-up run: losses that fall, a λ and an η that settle.
func training(a dro.Algorithm, i, epochSteps, epochs int) []runner.Event {
	var events []runner.Event
	seed := uint32(i + 1)
	noise := func() float64 {
		seed = seed*1664525 + 1013904223
		return float64(seed>>8)/(1<<24) - 0.5
	}
	head := func(step int) runner.Head {
		return runner.Head{Seq: int64(len(events) + 1), Step: int64(step),
			Time: epoch0().Add(time.Duration(float64(step)*fixPace*float64(time.Second)*(1+0.1*float64(i))) + time.Millisecond)}
	}
	events = append(events, &runner.StatusEvent{Head: head(0), Status: runner.Running})
	dual := a != dro.ERM
	for step := 10; step <= epochSteps*epochs; step += 10 {
		u := float64(step) / float64(epochSteps*epochs)
		loss := 2.3*math.Exp(-3*u) + 0.1*float64(i) + 0.15*noise()*math.Exp(-u)
		e := &runner.StepEvent{Head: head(step), Epoch: float64(step) / float64(epochSteps), ImagesPerSecond: runner.Num(math.Round(2500 + 300*noise()))}
		e.Measures = runner.Measures{Loss: runner.Num(loss),
			Lambda: runner.NumIf(dual, 1+4*math.Exp(-4*u)+float64(i)), Eta: runner.NumIf(dual, -2+2*u*float64(i+1)),
			Gap: runner.NumIf(a == dro.SFK, 3*math.Exp(-5*u)), Gamma: runner.NumIf(a == dro.SFK, 0.003*math.Exp(-5*u))}
		e.Min, e.Max = e.Measures, e.Measures
		e.Min.Loss, e.Max.Loss = runner.Num(loss*0.9), runner.Num(loss*1.2)
		events = append(events, e)
		if step%epochSteps == 0 {
			events = append(events, evaluation(head(step), epochSteps, i, u, dual))
		}
		if step == epochSteps*3 && a == dro.PGD {
			events = append(events, &runner.WarningEvent{Head: head(step), Message: "12 training losses are above eta_max = 10"})
		}
	}
	last := head(epochSteps * epochs)
	return append(events, &runner.StatusEvent{Head: last, Status: runner.Done})
}

func evaluation(h runner.Head, epochSteps, i int, u float64, dual bool) *runner.EvalEvent {
	e := &runner.EvalEvent{Head: h, Epoch: float64(h.Step) / float64(epochSteps), TrainLoss: runner.Num(2.2 * math.Exp(-3*u)),
		TestLoss: runner.Num(2.2*math.Exp(-2*u) + 0.05*float64(i)), TestAccuracy: runner.Num(0.1 + 0.8*u),
		RobustRisk: runner.Num(3 * math.Exp(-1.5*u)), DualGap: runner.NumIf(dual, 0.5*math.Exp(-3*u)*float64(i+1))}
	for c := range 10 {
		e.ClassAccuracy = append(e.ClassAccuracy, runner.Num(u*float64(90-5*((c*7+i)%10))/100))
		e.ClassLoss = append(e.ClassLoss, runner.Num(2.2*math.Exp(-2*u)+0.1*float64((c*7+i)%10)))
		e.ClassWeight = append(e.ClassWeight, runner.Num(0.5+0.15*float64((c*7+i)%10)))
	}
	return e
}

// rig drives a Model as Bubble Tea would, but at once: commands are done where
// they stand, and time passes when the rig says so.
type rig struct {
	*Model
	script *script
	asked  *asked
	quit   bool
}

// newRig returns a Model of w by h cells in true colour on dark, unless the
// environment says otherwise.
func newRig(t testing.TB, s *script, w, h int, environ ...string) *rig {
	t.Helper()
	r := &rig{script: s, asked: &asked{}}
	base := []string{"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8"}
	r.Model = New(Config{Verbs: r.asked, RunsDir: "runs", DataDir: t.TempDir(), Environ: append(base, environ...)}, s)
	r.after = func(time.Duration) tea.Cmd { return nil }
	r.run(r.Init())
	r.send(tea.ColorProfileMsg{Profile: r.env.profile}, tea.WindowSizeMsg{Width: w, Height: h})
	return r
}

func (r *rig) send(msgs ...tea.Msg) {
	for _, m := range msgs {
		_, cmd := r.Update(m)
		r.run(cmd)
	}
}

// run does a command and takes its answer.
func (r *rig) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch m := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range m {
			r.run(c)
		}
	case tea.QuitMsg:
		r.quit = true
	default:
		r.send(m)
	}
}

// press sends keys by name: "tab", "ctrl+c", "z", "Z".
func (r *rig) press(keys ...string) {
	for _, k := range keys {
		r.send(keyPress(k))
	}
}

func keyPress(name string) tea.KeyPressMsg {
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
		"delete": tea.KeyDelete, "backspace": tea.KeyBackspace}
	var k tea.Key
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		k.Mod, name = tea.ModCtrl, rest
	}
	if rest, ok := strings.CutPrefix(name, "shift+"); ok {
		k.Mod, name = tea.ModShift, rest
	}
	switch code, ok := special[name]; {
	case ok:
		k.Code = code
	case name == "space":
		k.Code, k.Text = tea.KeySpace, " "
	default:
		k.Code = []rune(name)[0]
		if k.Mod == 0 {
			k.Text = name
		}
	}
	return tea.KeyPressMsg(k)
}

// wait lets time pass, a frame at a time, and the interface look at the files.
func (r *rig) wait(d, frame time.Duration) {
	for end := r.script.now.Add(d); r.script.now.Before(end); {
		r.script.now = r.script.now.Add(frame)
		r.send(tickMsg(r.script.now))
	}
}

// size changes the terminal's.
func (r *rig) size(w, h int) { r.send(tea.WindowSizeMsg{Width: w, Height: h}) }

// profiles of the goldens, by name.
func variants() map[string][]string {
	return map[string][]string{
		"dark":    nil,
		"256":     {"COLORTERM="},
		"16":      {"COLORTERM=", "TERM=xterm"},
		"ascii":   {"DROLAB_ASCII=1"},
		"nocolor": {"NO_COLOR=1"},
	}
}
