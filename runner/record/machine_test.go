package record

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/machine"
)

// observe writes samples of the seconds first to last.
func observe(r *recorder, first, last int64) {
	for i := first; i <= last; i++ {
		r.Observe(&machine.Sample{Time: time.Unix(i, 0).UTC(),
			CPU: machine.Part{Used: float64(i), Of: 9}})
	}
}

// seconds returns the seconds of samples, as bytes.
func seconds(list []machine.Sample) (text string) {
	for _, s := range list {
		text += string(rune('0' + s.Time.Unix()))
	}
	return text
}

// TestObserve: samples are read back as they come, also behind those that were read before, and
// are no part of the run: the doctor, a packed run and a fork do not mind them, and nothing is
// written once the run is closed or deleted.
func TestObserve(t *testing.T) {
	s := newStore(t)
	r := create(t, s, newMeta(1))
	run := &Run{Dir: r.in.Path, Meta: *newMeta(1), passed: nil}
	run.Meta.ID = filepath.Base(r.in.Path)
	list, next, err := run.Machine(0)
	must(t, err)
	if len(list) > 0 || next != 0 {
		t.Fatalf("without samples: %v up to byte %d, want none up to 0", list, next)
	}
	observe(r, 1, 2)
	list, next, err = run.Machine(0)
	must(t, err)
	observe(r, 3, 3)
	more, _, err := run.Machine(next)
	must(t, err)
	if got := seconds(list) + ", " + seconds(more); got != "12, 3" {
		t.Fatalf("read the seconds %s, want 12, 3", got)
	}
	if used := more[0].CPU.Used; used != 3 {
		t.Errorf("%v CPUs are used in second 3, want 3", used)
	}
	appendSteps(t, r, 1, 3)
	must(t, r.Append(status(3, runner.Done)))
	must(t, r.Finish(newMeta(1).Ended(runner.Done, "", 3, newState(3))))
	must(t, r.Close())
	observe(r, 4, 4)
	if list, _, _ := run.Machine(0); seconds(list) != "123" {
		t.Errorf("after the end: seconds %s, want 123", seconds(list))
	}
	found, _, err := Examine(s.dir, false)
	must(t, err)
	if len(found) > 0 {
		t.Errorf("the doctor found %s, want nothing", findings(found))
	}
	ended, err := Find(s.dir, run.Meta.ID)
	must(t, err)
	must(t, ended.Verify())
	var packed [2]bytes.Buffer
	must(t, Pack(&packed[0], ended, 0))
	must(t, os.Remove(filepath.Join(r.in.Path, machineName)))
	must(t, Pack(&packed[1], ended, 0))
	if !bytes.Equal(packed[0].Bytes(), packed[1].Bytes()) {
		t.Error("a packed run depends on the machine")
	}
	small, err := Unpack("x", packed[0].Bytes())
	must(t, err)
	list, _, err = small.Machine(0)
	must(t, err)
	if list != nil {
		t.Errorf("a packed run has the samples %v, want none", list)
	}
	must(t, Delete(s.dir, run.Meta.ID))
	observe(r, 5, 5)
	if _, err := os.Stat(r.in.Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a deleted run: %v, want %v", err, fs.ErrNotExist)
	}
}

// TestDamagedSamples: whatever byte a write ended at, the samples before are read, and so are those
// that a resume adds. Whatever byte has changed since, the first sample is read.
func TestDamagedSamples(t *testing.T) {
	s := newStore(t)
	r := create(t, s, newMeta(1))
	observe(r, 1, 3)
	path := filepath.Join(r.in.Path, machineName)
	whole := read(t, path)
	run := &Run{Dir: r.in.Path}
	second := bytes.IndexByte(whole, '\n') + 1
	third := bytes.LastIndexByte(whole[:len(whole)-1], '\n')
	for at := range whole[second:] {
		at += second
		must(t, os.WriteFile(path, whole[:at], 0o600))
		observe(r, 8, 9)
		list, _, err := run.Machine(0)
		must(t, err)
		want := "1"
		if at >= third {
			want = "12"
		}
		switch {
		case at == len(whole)-1: // it lacked its newline alone, as does a line of the next case
			want = "1239"
		case at == second || at == third+1:
			want += "89"
		default:
			want += "9"
		}
		if got := seconds(list); got != want {
			t.Fatalf("cut at byte %d of %d: %s, want %s", at, len(whole), got, want)
		}
		torn := bytes.Clone(whole)
		torn[at] ^= 1
		must(t, os.WriteFile(path, torn, 0o600))
		list, _, err = run.Machine(0)
		must(t, err)
		if len(list) == 0 || len(list) > 3 {
			t.Fatalf("byte %d changed: %d samples, want 1 to 3", at, len(list))
		}
		if first := list[0].Time.Unix(); first != 1 {
			t.Fatalf("byte %d changed: the first sample is of second %d, want 1", at, first)
		}
	}
}

// TestSamplesAreBounded: a long run takes fewer samples as its file grows, up to a bound, and the
// reader reads no further than that bound.
func TestSamplesAreBounded(t *testing.T) {
	s := newStore(t)
	r := create(t, s, newMeta(1))
	path := filepath.Join(r.in.Path, machineName)
	written := func(size int64, calls int64) (n int64) {
		must(t, os.WriteFile(path, nil, 0o600))
		must(t, os.Truncate(path, size))
		for i := range calls {
			info, err := os.Stat(path)
			must(t, err)
			before := info.Size()
			observe(r, i, i)
			if info, err = os.Stat(path); err != nil || info.Size() > before {
				n++
			}
		}
		return n
	}
	for size, want := range map[int64]int64{
		0: 64, 1 << machinePace: 32, 4 << machinePace: 4, mostMachine: 0, 1 << 40: 0,
	} {
		if got := written(size, 64); got != want {
			t.Errorf("at %d bytes %d of 64 samples were written, want %d", size, got, want)
		}
	}
	run := &Run{Dir: r.in.Path}
	_, next, err := run.Machine(0)
	must(t, err)
	if next > mostMachine {
		t.Errorf("read up to byte %d of a terabyte, want at most %d", next, mostMachine)
	}
	if _, _, err := run.Machine(1 << 50); err != nil {
		t.Errorf("Machine behind the end: %v", err)
	}
}

// TestSamplesThroughLinks: nothing is written or read through a link.
func TestSamplesThroughLinks(t *testing.T) {
	s := newStore(t)
	r := create(t, s, newMeta(1))
	path, target := filepath.Join(r.in.Path, machineName), filepath.Join(t.TempDir(), "target")
	must(t, os.WriteFile(target, []byte("mine\n"), 0o600))
	for name, link := range map[string]func(old, new string) error{"symbolic": os.Symlink,
		"hard": os.Link} {
		if err := link(target, path); err != nil {
			t.Skip(err)
		}
		observe(r, 1, 3)
		if text := read(t, target); string(text) != "mine\n" {
			t.Errorf("through a %s link: %q", name, text)
		}
		must(t, os.Remove(path))
	}
}
