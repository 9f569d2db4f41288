package tui

import (
	"io"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// oneCall is a Bubble Tea program that calls do once and quits.
type oneCall struct{ do func() }

func (o oneCall) Init() tea.Cmd  { return func() tea.Msg { return o } }
func (o oneCall) View() tea.View { return tea.NewView("") }
func (o oneCall) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(oneCall); ok {
		o.do()
		return o, tea.Quit
	}
	return o, nil
}

// TestFramesAreFound fails if Bubble Tea moves its ticker. An idle interface would then cost as
// much as before the frame rate could be set.
func TestFramesAreFound(t *testing.T) {
	f, found := &frames{}, false
	f.program = tea.NewProgram(oneCall{func() {
		f.set(7)
		found = f.ticker() != nil && f.rate == 7
	}}, tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithWindowSize(80, 24))
	f.set(9) // it has none yet
	if _, err := f.program.Run(); err != nil {
		t.Fatal(err)
	}
	if !found {
		t.Error("Bubble Tea's ticker is not found, so that its frames cannot be set")
	}
}

// TestStartIsNews: the second look at the files comes as soon as where something happens. Otherwise
// a run's first lines would wait for two seconds.
func TestStartIsNews(t *testing.T) {
	m := watching(t, 80, 24).Model
	m.pressed, m.news = time.Time{}, time.Time{} // as before the first tick
	m.tick(time.Unix(4e9, 0))
	if got := m.pace(); got != readEvery {
		t.Errorf("the look after the first one comes after %v, want %v", got, readEvery)
	}
}

// TestFrameRate: the frame rate is that of the terminal while keys are pressed and while a replay
// moves, and low otherwise.
func TestFrameRate(t *testing.T) {
	m := watching(t, 80, 24).Model
	start := time.Unix(4e9, 0) // far from the driver's own time
	m.pressed = time.Time{}
	m.tick(start)
	if got := m.frameRate(); got != localFrames {
		t.Errorf("at the start %d frames a second, want %v", got, localFrames)
	}
	m.tick(start.Add(idleAfter + time.Second))
	if got := m.frameRate(); got != idleFrames {
		t.Errorf("%d frames a second with nobody there, want %v", got, idleFrames)
	}
	m.Update(tea.KeyPressMsg{Code: '?', Text: "?"})
	if got := m.frameRate(); got != localFrames {
		t.Errorf("%d frames a second after a key, want %v", got, localFrames)
	}
}
