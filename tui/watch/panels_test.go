package watch

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"
)

// TestPanels has every panel made of measures that there are, and no view that
// shows nothing.
func TestPanels(t *testing.T) {
	table := panels(standing(), dro.Algorithms())
	drawn := quantities(table)
	for _, p := range table {
		if p.title == "" || len(p.views) == 0 {
			t.Errorf("panel %q has %d views", p.title, len(p.views))
		}
		for _, v := range p.views {
			for _, name := range v.measures() {
				if _, ok := drawn[name]; !ok {
					t.Errorf("%s: no measure is called %q", p.title, name)
				}
			}
			m, found := runner.FindMeasure(v.bars)
			classes := found && m.IsList()
			if classes == (len(v.measures()) > 0) || (v.phase || v.as != nil) != (v.doc != "") {
				t.Errorf("%s: view %q shows curves of %v, bars of %q", p.title, v.name, v.measures(), v.bars)
			}
		}
	}
}

// A row of the table is a panel: drawn, zoomed, flipped, defined and exported.
func TestToyPanel(t *testing.T) {
	r := watching(t, 200, 60)
	r.Config.RunsDir = t.TempDir()
	r.watch.standing = func() []panel {
		return append([]panel{{title: "Toy panel", views: []view{
			{name: "how it trains", curves: []string{"train_loss"}},
			{name: "who suffers", bars: "class_loss"}}}}, standing()...)
	}
	r.watch.furnish()
	r.Send(lab.Watch{IDs: []string{r.watch.run().id}}) // what is read anew is drawn
	r.Wait(2*time.Second, time.Second/5)
	r.Press("home", "z", "i")
	for _, want := range []string{"Toy panel · how it trains", "over the training split"} {
		if s := tuitest.Text(r.Shot()) + strings.Join(r.Overlay.Lines, " "); !strings.Contains(s, want) {
			t.Errorf("no %q:\n%s", want, s)
		}
	}
	r.Overlay = nil
	r.Press("e")
	if r.Overlay == nil || strings.HasPrefix(r.Overlay.Lines[0], "0 rows") {
		t.Errorf("exported %+v", r.Overlay)
	}
	r.Overlay = nil
	r.Press("f")
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "Toy panel · who suffers") {
		t.Errorf("flipped:\n%s", s)
	}
	files, _ := filepath.Glob(filepath.Join(r.Config.RunsDir, "export-train_loss-*.csv"))
	if len(files) != 1 {
		t.Errorf("exported %v", files)
	}
}
