package record

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/internal/aside"
	"drolab/runner/internal/aside/asidetest"
	"drolab/runner/queue"
	"drolab/runner/record/internal/disk"
	"drolab/runner/spec"
	runtrain "drolab/runner/train"
)

// TestEveryEndHasItsSummary: however a run ends, before or while it trains, its summary says so.
func TestEveryEndHasItsSummary(t *testing.T) {
	s := newStore(t)
	begun, on := make(chan struct{}, 2), make(chan struct{})
	network := func(sp *spec.Spec, d *data.Dataset, threads int) (runtrain.Network, error) {
		begun <- struct{}{}
		<-on
		return nil, errors.New("it cannot be built")
	}
	q := queue.NewQueue(t.Context(),
		queue.Settings{Store: s, Threads: 1, Parallel: 1, Network: network})
	two := tiny()
	two.Seeds = 2
	ids, err := q.Start(runner.Request{Specs: two.Expand()})
	must(t, err)
	<-begun
	must(t, q.Stop(ids[1]))
	close(on)
	q.Wait()
	for i, want := range []runner.Status{runner.Failed, runner.Stopped} {
		var sum runner.Summary
		must(t, in(t, filepath.Join(s.dir, ids[i])).ReadJSON(summaryName, &sum))
		if sum.Status != want || sum.Cause == "" {
			t.Errorf("%s: %q", sum.Status, sum.Cause)
		}
	}
	list, _, err := Examine(s.dir)
	must(t, err)
	if len(list) > 0 {
		t.Errorf("found %s", findings(list))
	}
}

// TestEndWithoutDescriptors: a run that fails while no descriptor is left has a summary and a
// status.
func TestEndWithoutDescriptors(t *testing.T) {
	s := newStore(t)
	h := &handles{most: 1 << 10}
	s.open = h.open
	m := newMeta(1)
	r := create(t, s, m)
	must(t, r.Append(status(0, runner.Running)))
	h.most = h.held
	if _, err := r.Checkpoint(newState(3)); !errors.Is(err, syscall.EMFILE) {
		t.Fatal(err)
	}
	e := runner.NewStatus(head(3), runner.Failed, errors.New("no descriptor is left"))
	must(t, r.Finish(m.Ended(e, &runner.State{})))
	must(t, r.Append(e))
	must(t, r.Close())
	if h.held != 0 {
		t.Errorf("%d descriptors are held", h.held)
	}
	if r := the(s, original); r.Status() != runner.Failed || r.Summary().Cause != e.Cause {
		t.Errorf("%s: %q", r.Status(), r.Summary().Cause)
	}
}

// handles is a process that may have so many open files and folders. A lock is not counted.
type handles struct{ held, most int }

func (h *handles) take() error {
	if h.held == h.most {
		return syscall.EMFILE
	}
	h.held++
	return nil
}

func (h *handles) open(path string) (aside.Disk, error) {
	return h.folder(func() (aside.Disk, error) { return disk.OpenDisk(path) })
}

func (h *handles) folder(open func() (aside.Disk, error)) (aside.Disk, error) {
	if err := h.take(); err != nil {
		return nil, err
	}
	d, err := open()
	if err != nil {
		h.held--
		return nil, err
	}
	return &countedDisk{d, counted{h, true}}, nil
}

// counted is a descriptor that is given back once.
type counted struct {
	of   *handles
	open bool
}

func (c *counted) giveBack() {
	if c.open {
		c.of.held--
	}
	c.open = false
}

type countedDisk struct {
	aside.Disk
	counted
}

func (d *countedDisk) Close() error {
	d.giveBack()
	return d.Disk.Close()
}

func (d *countedDisk) Folder(name string) (aside.Disk, error) {
	return d.of.folder(func() (aside.Disk, error) { return d.Disk.Folder(name) })
}

func (d *countedDisk) Sync() error { // opens the folder
	if err := d.of.take(); err != nil {
		return err
	}
	defer func() { d.of.held-- }()
	return d.Disk.Sync()
}

func (d *countedDisk) OpenFile(name string, flag int, mode fs.FileMode) (aside.File, error) {
	if err := d.of.take(); err != nil {
		return nil, err
	}
	f, err := d.Disk.OpenFile(name, flag, mode)
	if err != nil {
		d.of.held--
		return nil, err
	}
	return &countedFile{f, counted{d.of, true}}, nil
}

type countedFile struct {
	aside.File
	counted
}

func (f *countedFile) Close() error {
	f.giveBack()
	return f.File.Close()
}

// TestWarnedOnce: a run that is killed at any moment and goes on, from a checkpoint or from its
// start, has no warning twice in its log.
func TestWarnedOnce(t *testing.T) {
	sp := tiny()
	sp.LRDropEpoch = 5
	req := runner.Request{Specs: []spec.Spec{sp}}
	warnings := func(s *Store) (list []string) {
		for _, w := range history(t, the(s, original).Tail()).Warnings {
			list = append(list, fmt.Sprint(w.Step, " ", w.Message))
		}
		return list
	}
	whole := &asidetest.Faults{}
	s := newStore(t)
	s.open = whole.Open
	must(t, train(s, nil, req))
	want := warnings(s)
	if len(want) == 0 {
		t.Fatal("the run has no warning")
	}
	for at := 1; at <= len(whole.Trace()); at += 8 {
		s := newStore(t)
		s.open = (&asidetest.Faults{At: at, Killed: true}).Open
		train(s, nil, req)
		s.open = disk.OpenDisk
		had := the(s, original)
		if had != nil && had.Status() == runner.Done {
			continue
		}
		must(t, train(s, had, req))
		if got := warnings(s); !slices.Equal(got, want) {
			t.Errorf("killed at operation %d of %d: %q, want %q", at, len(whole.Trace()), got, want)
		}
	}
}
