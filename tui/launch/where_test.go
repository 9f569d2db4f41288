package launch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/box"
	"drolab/runner/bridge"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// beside is a page with two boxes: gpu1 is linked, and gpu2 has no link.
type beside struct {
	*tuitest.Driver
	page        *Page
	here, there *tuitest.Starter // of this machine and of gpu1
}

// placesOf returns a driver on a page with two boxes. gpu1 has trained a run.
func placesOf(t *testing.T) *beside {
	t.Helper()
	b := &beside{here: &tuitest.Starter{}, there: &tuitest.Starter{}}
	runs := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	trained := tuitest.Archived(dro.SFK, 1, "shapes", tuitest.Epoch0())
	trained.Host.CPU = "a big processor"
	runs.Add(t, "far-sfk-s1", trained, runner.Done, "")
	programs := bridge.Approvals(t.TempDir())
	side := &box.FarSide{RunsDir: string(runs.Folder), Verbs: b.there, DataDir: t.TempDir(),
		Hello: box.Hello{CPU: "a big processor", Cores: 64, Memory: 512 << 30},
		Approved: func(path string) error {
			_, err := programs.Check(path)
			return err
		}}
	boxes := []box.Linked{tuitest.ServeBox(t, "gpu1", side),
		tuitest.NewBox(t, "gpu2", t.TempDir(), tuitest.Epoch0())}
	own := tuitest.NewArchive(t)
	source := lab.WithBoxes(context.Background(), lab.OpenCatalogued(string(own.Folder), "", true),
		boxes, "")
	l := tuitest.NewLab(t, source, lab.Config{Verbs: b.here, Boxes: boxes,
		Processor: lab.Processor{CPU: "a processor", Cores: 2}}, 120, 38)
	b.page = New(l, tuitest.Presets)
	b.Driver = tuitest.NewDriver(l, b.page)
	return b
}

// choose chooses a machine, and lets the page find out what it has.
func (b *beside) choose(t *testing.T, name string) {
	t.Helper()
	b.page.set(whereKey, name)
	if b.page.problem != nil {
		t.Fatal(b.page.problem)
	}
	b.Send(kit.Tick(tuitest.Epoch0()))
}

// sees reports it where the screen lacks a text, wherever lines are broken.
func (b *beside) sees(t *testing.T, texts ...string) {
	t.Helper()
	packed := func(s string) string {
		return strings.Join(strings.Fields(strings.ReplaceAll(s, "│", " ")), "")
	}
	s := packed(tuitest.Text(b.Shot()))
	for _, text := range texts {
		if !strings.Contains(s, packed(text)) {
			t.Errorf("the screen lacks %q:\n%s", text, tuitest.Text(b.Shot()))
		}
	}
}

// TestWhere: with boxes, the first row of the settings chooses the machine as other rows choose a
// value. It is no setting of a run: it is not marked as changed, and another preset has it, too.
func TestWhere(t *testing.T) {
	if _, l, _ := launchOf(t); l.settings()[0].Key == whereKey {
		t.Error("without boxes there is a row for the machine, want none")
	}
	b := placesOf(t)
	b.sees(t, "where [here] | gpu1 | gpu2")
	b.Press("tab")
	for _, c := range []struct{ key, where, text string }{
		{"space", "gpu1", "where here | [gpu1] | gpu2"},
		{"right", "gpu2", "where here | gpu1 | [gpu2]"},
		{"right", "", "where [here] | gpu1 | gpu2"}, {"left", "gpu2", "[gpu2]"},
		{"u", "", "[here]"},
	} {
		b.Press(c.key)
		if b.page.where != c.where {
			t.Fatalf("%s leads to %q, want %q", c.key, b.page.where, c.where)
		}
		b.sees(t, c.text)
	}
	lay := b.page.layout(b.Body.W, b.Body.H)
	for _, where := range []string{"gpu1", "gpu2"} { // the cursor is on the row
		b.Send(kit.Click{X: lay.settings.X + 5, Y: lay.settings.Y + 1})
		if b.page.where != where {
			t.Fatalf("a click leads to %q, want %s", b.page.where, where)
		}
	}
	b.Press("u")
	if b.Press("u"); b.Notice.Text == "" {
		t.Error("nothing says that the runs start here already")
	}
	b.Press("e")
	b.Type("gpu3")
	b.Press("enter")
	b.sees(t, `where "gpu3": expected here or gpu1 or gpu2`)
	b.Press("backspace")
	b.Type("1")
	b.Press("enter", "tab", "down")
	b.sees(t, "[gpu1]")
	if b.page.edited(whereKey) || len(b.page.changes()) > 0 {
		t.Errorf("the machine counts as a change of the preset: %q", b.page.changes())
	}
	for _, w := range []int{40, 60, 80} {
		b.Size(w, 22)
		b.Press("tab")
		b.Fits(t, "where")
		b.sees(t, "[gpu1]")
		b.Press("tab")
	}
}

// TestWhereIsKept: the machine is kept for the next start, and forgotten where it is not among the
// boxes.
func TestWhereIsKept(t *testing.T) {
	b := placesOf(t)
	if got := b.page.Choices().Get(); len(got) > 0 {
		t.Errorf("of this machine %v is kept, want nothing", got)
	}
	b.choose(t, "gpu1")
	kept := b.page.Choices().Get()
	b.choose(t, here)
	if b.page.Choices().Set(kept); b.page.where != "gpu1" {
		t.Errorf("%v sets the machine to %q, want gpu1", kept, b.page.where)
	}
	gone := map[string][]string{whereKey: {"gpu9\x1b[2J"}}
	if b.page.Choices().Set(gone); b.page.where != "" {
		t.Errorf("a box that is not there sets the machine to %q, want this one", b.page.where)
	}
}

// TestStartsThere: the review tells of the box, and Enter starts the runs there. They are no runs
// of this process.
func TestStartsThere(t *testing.T) {
	b := placesOf(t)
	b.choose(t, "gpu1")
	b.page.spec().LRDropEpoch = 30
	b.Press("enter")
	b.sees(t, "Start shapes on gpu1?", "4 runs on gpu1:", "Where box gpu1 · a big processor · "+
		"64 cores · 512 GiB", "judging by 1 run on gpu1", "64 cores, shared with no other run",
		"up to", "lr_drop_epoch is 30")
	if len(b.there.Requests) > 0 {
		t.Fatalf("the box was asked for %+v before the review ended", b.there.Requests)
	}
	b.Press("enter")
	if len(b.here.Requests) > 0 || len(b.there.Requests) != 1 {
		t.Fatalf("asked for are %d starts here and %d there, want the latter once",
			len(b.here.Requests), len(b.there.Requests))
	}
	got := b.there.Requests[0]
	if got.Preset != "shapes" || len(got.Specs) != 4 || got.Parts != 4 || len(got.IDs) != 4 {
		t.Errorf("the box was asked for %+v, want the four runs of shapes", got)
	}
	m, ok := tuitest.Sent[lab.Started](b.Driver)
	if !ok || m.Box != "gpu1" || !slices.Equal(m.IDs, got.IDs) || m.Err != nil {
		t.Fatalf("the answer is %+v, want the runs %v of gpu1", m, got.IDs)
	}
	b.Begun(m)
	if len(b.Started()) > 0 || b.BoxOf(m.IDs[0]) != "gpu1" {
		t.Errorf("runs of this process are %v, want none", b.Started())
	}
}

// TestNoStartThere: a box without a link can be chosen. The page says why nothing can start, before
// a review.
func TestNoStartThere(t *testing.T) {
	b := placesOf(t)
	b.choose(t, "gpu2")
	b.sees(t, "Where box gpu2: no link for", "shapes: not known without a link")
	b.Press("enter")
	if b.Overlay != nil || !strings.Contains(b.Notice.Text, "box gpu2: no link for") {
		t.Errorf("Enter opens %v and says %q, want why there is no link", b.Overlay, b.Notice.Text)
	}
	b.page.at = 0
	if why := b.page.noStart(); why != "" {
		t.Errorf("the film does not play: %s", why)
	}
}

// TestPathsAndDataThere: data and programs are those of the box: what has a path of this machine,
// or is not there, is refused with the remedy before a review.
func TestPathsAndDataThere(t *testing.T) {
	b := placesOf(t)
	b.choose(t, "gpu1")
	for set, want := range map[string]string{
		"dataset=csv:data.csv": `box gpu1: "csv:data.csv" has a path of this machine: ` +
			"give an absolute path on the box",
		"model=program:train.py": `box gpu1: "program:train.py" has a path of this machine: ` +
			"give an absolute path on the box",
		"dataset=cifar10": "cifar10 is not on box gpu1. drolab data fetch cifar10 --box gpu1 " +
			"downloads it (",
	} {
		before := *b.page.spec()
		if err := presets.Set(b.page.spec(), set); err != nil {
			t.Fatal(err)
		}
		b.Notice = kit.Notice{}
		b.Press("enter")
		if b.Overlay != nil || !strings.Contains(b.Notice.Text, want) {
			t.Errorf("%s: Enter opens %v and says %q, want %q", set, b.Overlay, b.Notice.Text, want)
		}
		*b.page.spec() = before
	}
	if err := presets.Set(b.page.spec(), "dataset=csv:/there/data.csv"); err != nil {
		t.Fatal(err)
	}
	b.Press("enter")
	b.sees(t, "These runs cannot start:", "box gpu1:", "/there/data.csv")
}

// TestTrustThere: the trust of this machine says nothing about a box. The review has the refusal of
// the box, and how to approve the program there.
func TestTrustThere(t *testing.T) {
	b := placesOf(t)
	b.choose(t, "gpu1")
	path := filepath.Join(t.TempDir(), "train.py")
	if err := os.WriteFile(path, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.page.Config.Programs = bridge.Approvals(t.TempDir())
	if err := presets.Set(b.page.spec(), "model=program:"+path); err != nil {
		t.Fatal(err)
	}
	b.Press("enter")
	b.sees(t, "These runs cannot start:", "you have not approved this version",
		"drolab trust --box gpu1")
	b.Press("enter")
	if b.Overlay != nil && strings.Contains(b.Overlay.Title, "program") {
		t.Errorf("the trust of this machine is asked: %q", b.Overlay.Title)
	}
	if len(b.there.Requests) != 1 {
		t.Errorf("the box got %s, want one start, which it decides about",
			fmt.Sprint(b.there.Requests))
	}
}

// TestOnABoxGolden: the page with a box chosen, and the review of a start there, on a small screen.
func TestOnABoxGolden(t *testing.T) {
	b := placesOf(t)
	b.Size(80, 22)
	b.Press("tab")
	b.choose(t, "gpu1")
	page := tuitest.Text(b.Shot())
	b.Press("enter")
	tuitest.Golden(t, "box", page+"\n"+tuitest.Text(b.Shot()))
}
