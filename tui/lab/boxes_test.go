package lab

import (
	"context"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/box"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
	"drolab/tui/kit"
)

// TestRunsOfBoxes: the runs of a box stand beside those of this machine. What only their box can do
// with them is refused with the line that does it.
func TestRunsOfBoxes(t *testing.T) {
	here, there := recordtest.NewFolder(t), recordtest.NewFolder(t)
	here.Add(recordtest.Result{Method: dro.ERM, Worst: .5})
	there.Add(recordtest.Result{Method: dro.SFK, Worst: .6})
	dir := filepath.Join(t.TempDir(), "mirror")
	m, err := record.OpenMirror(dir, "gpu1")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	own, far := here.Runs[0], there.Runs[0]
	head, err := far.Head()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Put(head); err != nil {
		t.Fatal(err)
	}

	link := box.NewLink("gpu1", dir, nil)
	s := WithBoxes(t.Context(), OpenCatalogued(here.Store.Dir(), "", false),
		[]box.Linked{{Name: "gpu1", Dir: dir, Link: link}}, "")
	runs, problems := s.List()
	if len(problems) > 0 {
		t.Fatalf("listing: %v, want no problem", problems)
	}
	got := map[string]string{}
	for _, r := range runs {
		got[r.Meta.ID] = r.Summary().Box
	}
	want := map[string]string{own.Meta.ID: "", far.Meta.ID: "gpu1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the boxes of the runs (+), want (-): %s", diff)
	}
	for id := range want {
		if r, err := s.Find(id); err != nil || r.Meta.ID != id {
			t.Errorf("finding run %s: %v, want it", id, err)
		}
	}

	line := "box gpu1: no link yet: nothing was sent"
	if err := s.Delete(far.Meta.ID); err == nil || err.Error() != line {
		t.Errorf("deleting a run of a box without a link: %v, want %q", err, line)
	}
	if err := s.Delete(own.Meta.ID); err != nil {
		t.Errorf("deleting a run of this machine: %v, want no error", err)
	}
	if _, err := os.Stat(own.Dir); !os.IsNotExist(err) {
		t.Errorf("the deleted run of this machine: %v, want none", err)
	}

	boxes := []box.Linked{{Name: "gpu1", Dir: dir, Link: link}}
	l := &Lab{Source: s, Config: Config{RunsGoOn: true, Boxes: boxes}}
	l.Note(Listed{Runs: runs})
	if l.Controls(far.Meta.ID) || !l.Controls(own.Meta.ID) {
		t.Errorf("the interface controls the run of the box: %v, and that of this machine: %v; "+
			"want only the latter", l.Controls(far.Meta.ID), l.Controls(own.Meta.ID))
	}
	why := "box gpu1: no link yet: nothing was sent"
	if got := l.Unreached(far.Meta.ID); got != why {
		t.Errorf("the run of the box is not reached because of %q, want %q", got, why)
	}
	answer, _ := l.Ask("stop", far.Meta.ID)().(Answered)
	if answer.Err == nil || answer.Err.Error() != line {
		t.Errorf("stopping a run of a box without a link: %v, want %q", answer.Err, line)
	}
	started, _ := l.Start(runner.Request{Parent: far.Meta.ID + "@3"})().(Started)
	if started.Err == nil || started.Err.Error() != line {
		t.Errorf("a fork of a run of a box without a link: %v, want %q", started.Err, line)
	}
}

// orders are the Verbs of a box that keeps what it is asked.
type orders chan runner.Order

// Start implements runner.Verbs.
func (orders) Start(r runner.Request) ([]string, error) { return nil, fs.ErrInvalid }

// CarryOut implements runner.Verbs.
func (o orders) CarryOut(of runner.Order) (int64, error) {
	o <- of
	return 0, nil
}

// TestActingOnBoxes: what is asked of a run of a box is done there. Before runs start on a box that
// ends them with a login, the user is asked.
func TestActingOnBoxes(t *testing.T) {
	there := recordtest.NewFolder(t)
	there.Add(recordtest.Result{Method: dro.SFK, Worst: .6})
	far, asked := there.Runs[0], make(orders, 1)
	side := &box.FarSide{RunsDir: there.Store.Dir(), Now: time.Now, Verbs: asked,
		Hello: box.Hello{Advice: "all ends\nwith a login"}}
	dial := func(ctx context.Context) (box.Conn, error) {
		near, other := net.Pipe()
		go side.Serve(ctx, other, other)
		return near, nil
	}
	dir := filepath.Join(t.TempDir(), "mirror")
	link := box.NewLink("gpu1", dir, dial)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { link.Run(ctx) })
	defer running.Wait()
	defer cancel()
	link.Await(ctx, func(s box.State) bool { return s.Complete })

	boxes := []box.Linked{{Name: "gpu1", Dir: dir, Link: link}}
	s := WithBoxes(ctx, OpenCatalogued(t.TempDir(), "", false), boxes, "")
	runs, _ := s.List()
	l := &Lab{Source: s, Config: Config{Boxes: boxes}}
	l.Note(Listed{Runs: runs})
	if !l.Controls(far.Meta.ID) {
		t.Errorf("the run of a linked box is not controlled: %s", l.Unreached(far.Meta.ID))
	}
	if answer, _ := l.Ask("stop", far.Meta.ID)().(Answered); answer.Err != nil {
		t.Errorf("stopping the run: %v, want no error", answer.Err)
	}
	if got, want := <-asked, (runner.Order{Verb: runner.Stop, Run: far.Meta.ID}); got != want {
		t.Errorf("the box got %+v, want %+v", got, want)
	}
	note := "seen"
	if err := l.Relabel(runs[0], record.LabelEdit{Note: &note}); err != nil {
		t.Errorf("labelling the run: %v, want no error", err)
	}
	if r, err := record.Find(there.Store.Dir(), far.Meta.ID); err != nil || r.Label().Note != note {
		t.Errorf("the run there has the label %v, %v: want %q", r.Label(), err, note)
	}
	open, _ := l.StartOn("gpu1", runner.Request{})().(kit.Open)
	if open.Overlay == nil {
		t.Error("runs start on a box that may end them, want a question first")
	}
	if _, ok := l.StartOn("gpu1", runner.Request{})().(Started); !ok {
		t.Error("the question comes a second time, want the answer to a start")
	}
	if err := s.Delete(far.Meta.ID); err != nil {
		t.Errorf("deleting the run: %v, want no error", err)
	}
	if _, err := os.Stat(far.Dir); !os.IsNotExist(err) {
		t.Errorf("the deleted run of the box: %v, want none", err)
	}
}
