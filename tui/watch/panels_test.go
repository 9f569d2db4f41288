package watch

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"
)

// TestToyPanel: a panel that is added to the table of panels is drawn, zoomed, flipped, defined and
// exported.
func TestToyPanel(t *testing.T) {
	r := watching(t, 200, 60)
	r.Config.RunsDir = t.TempDir()
	r.watch.Board.BuiltIn = func() []panel.Panel {
		return append([]panel.Panel{{Title: "Toy panel", Views: []panel.View{
			{Name: "how it trains", Curves: []string{"train_loss"}},
			{Name: "who suffers", Bars: "class_loss"}}}}, panel.BuiltIn()...)
	}
	r.watch.furnish()
	r.Send(lab.Watch{IDs: []string{r.watch.Runs.Run().ID}}) // logs that are read anew are drawn
	r.Wait(2*time.Second, time.Second/5)
	r.Press("home", "z", "i")
	for _, want := range []string{"Toy panel · how it trains", "over the training split"} {
		s := tuitest.Text(r.Shot()) + strings.Join(r.Overlay.Lines, " ")
		if !strings.Contains(s, want) {
			t.Errorf("no %q:\n%s", want, s)
		}
	}
	r.Overlay = nil
	r.Press("e")
	if r.Overlay == nil || strings.HasPrefix(r.Overlay.Lines[0], "0 rows") {
		t.Errorf("the export says %+v, want some rows", r.Overlay)
	}
	r.Overlay = nil
	r.Press("f")
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "Toy panel · who suffers") {
		t.Errorf("flipped:\n%s", s)
	}
	r.watch.screen.focus = slices.IndexFunc(r.watch.Board.Panels,
		func(p panel.Panel) bool { return p.Title == "Settings" })
	r.watch.touch()
	for _, want := range []string{"rho ", "batch "} {
		if s := tuitest.Text(r.Shot()); !strings.Contains(s, want) {
			t.Errorf("the settings lack %q:\n%s", want, s)
		}
	}
	r.Press("e")
	if r.Overlay == nil || strings.HasPrefix(r.Overlay.Lines[0], "0 rows") {
		t.Errorf("the export says %+v, want some rows", r.Overlay)
	}
	files, _ := filepath.Glob(filepath.Join(r.Config.RunsDir, "export-train_loss-*.csv"))
	if len(files) != 1 {
		t.Errorf("exported %v", files)
	}
}
