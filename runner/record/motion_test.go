//go:build darwin || freebsd || linux

package record

import (
	"io/fs"
	"testing"

	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/internal/atomicfile"
)

// hookedDisk is a disk that calls do before each operation of its reader.
type hookedDisk struct {
	atomicfile.Disk
	do func()
}

func (d hookedDisk) OpenFile(name string, flag int, mode fs.FileMode) (atomicfile.File, error) {
	d.do()
	return d.Disk.OpenFile(name, flag, mode)
}

func (d hookedDisk) Lstat(name string) (fs.FileInfo, error) {
	d.do()
	return d.Disk.Lstat(name)
}

func (d hookedDisk) List() ([]fs.DirEntry, error) {
	d.do()
	return d.Disk.List()
}

func (d hookedDisk) Folder(name string) (atomicfile.Disk, error) {
	d.do()
	in, err := d.Disk.Folder(name)
	if err != nil {
		return nil, err
	}
	return hookedDisk{in, d.do}, nil
}

func openHooked(do func()) atomicfile.Opener {
	return func(path string) (atomicfile.Disk, error) {
		d, err := atomicfile.Open(path)
		if err != nil {
			return nil, err
		}
		return hookedDisk{d, do}, nil
	}
}

// steppedRun is a run that goes on when told to, and keeps one checkpoint.
type steppedRun struct {
	t    *testing.T
	s    *Store
	m    *runner.Meta
	r    *recorder
	step int64
}

func newSteppedRun(t *testing.T) *steppedRun {
	l := &steppedRun{t: t, s: &Store{dir: t.TempDir(), now: clock()}, m: newMeta(1)}
	l.m.Spec.CheckpointKeep, l.m.Parent = 1, "another@7"
	r, err := l.s.Create(l.m, newState(0))
	must(t, err)
	l.r = r.(*recorder)
	l.goOn()
	return l
}

func (l *steppedRun) goOn() {
	l.step++
	must(l.t, l.r.Append(stepEvent(l.step)))
	_, err := l.r.Checkpoint(newState(l.step))
	must(l.t, err)
}

func (l *steppedRun) stop() {
	must(l.t, l.r.Finish(&runner.Summary{Status: runner.Stopped, Steps: l.step}))
	must(l.t, l.r.Append(status(l.step, runner.Stopped)))
	must(l.t, l.r.Close())
}

func (l *steppedRun) resume() {
	r, _, err := l.s.Reopen(l.m.ID)
	must(l.t, err)
	l.r = r.(*recorder)
	l.goOn()
}

// TestDoctorOfARunInMotion checks that the doctor finds nothing wrong in a run that goes on between
// any two of its operations, nor in one that ends, is resumed, begins or is deleted meanwhile.
func TestDoctorOfARunInMotion(t *testing.T) {
	t.Run("goes on", func(t *testing.T) {
		l := newSteppedRun(t)
		list, _, err := examine(openHooked(l.goOn), l.s.dir, false)
		must(t, err)
		if len(list) > 0 {
			t.Errorf("at step %d it finds %s, want nothing", l.step, findings(list))
		}
		if l.step < 20 {
			t.Errorf("the run went on to step %d only, want 20 or more", l.step)
		}
		must(t, l.r.Close())
	})
	for name, c := range map[string]struct{ before, at func(l *steppedRun) }{
		"ends":       {func(*steppedRun) {}, (*steppedRun).stop},
		"is resumed": {(*steppedRun).stop, (*steppedRun).resume},
		"is deleted": {(*steppedRun).stop, func(l *steppedRun) { must(l.t, l.s.Delete(l.m.ID)) }},
		"begins": {func(*steppedRun) {}, func(l *steppedRun) {
			r, err := l.s.Create(newMeta(2), nil)
			must(l.t, err)
			must(l.t, r.Close())
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for at, done := 1, true; done; at += testsize.Pick(5, 1, 1) {
				l, n := newSteppedRun(t), 0
				c.before(l)
				done = false
				list, _, err := examine(openHooked(func() {
					if n++; n == at {
						c.at(l)
						done = true
					}
				}), l.s.dir, false)
				must(t, err)
				if len(list) > 0 {
					t.Errorf("at the doctor's operation %d it finds %s, want nothing", at,
						findings(list))
				}
				l.r.Close()
			}
		})
	}
}

// TestHoldsWhatItCopies checks that whoever goes on from a checkpoint of a run in motion finds it
// at each look until he lets it go. After that, nothing of the hold is left.
func TestHoldsWhatItCopies(t *testing.T) {
	l := newSteppedRun(t)
	l.goOn()
	r, err := Find(l.s.dir, l.m.ID)
	must(t, err)
	r.open = openHooked(l.goOn)
	for range testsize.Pick(5, 20, 20) {
		past, err := r.Past(newestStep)
		must(t, err)
		_, err = r.Load(newestStep)
		must(t, err)
		if past.From.Step < 1 {
			t.Errorf("it goes on from step %d, want 1 or more", past.From.Step)
		}
	}
	r.open = nil
	release := r.Hold()
	past, err := r.Past(newestStep)
	must(t, err)
	step := past.From.Step
	for range 5 {
		l.goOn()
	}
	_, err = l.s.Load(l.m.ID, step) // like the engine, in another process
	must(t, err)
	must(t, l.s.Pin(l.m.ID, step))
	release()
	l.goOn()
	r.wants(t, []int64{step, l.step}, []int64{step})
	must(t, l.r.Close())
}
