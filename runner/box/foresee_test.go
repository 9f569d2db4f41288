package box

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data/source"
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// foreseen returns settings with one seed, on little data.
func foreseen() spec.Spec {
	s := spec.Defaults()
	s.Algorithms, s.Seeds = []dro.Algorithm{dro.SFK, dro.ERM}, 1
	s.Dataset, s.Samples = "shapes", 400
	s.Epochs, s.LRDropEpoch = 8, 9
	return s
}

// TestForesee: a box says which datasets it has, and what runs would warn of there, as this machine
// does. One that only reads says so, too, and nothing is written there.
func TestForesee(t *testing.T) {
	h := newHistory(t, 1)
	data := t.TempDir()
	p := &piped{side: &FarSide{RunsDir: h.store.Dir(), Now: time.Now, DataDir: data}}
	l := NewLink("gpu1", filepath.Join(t.TempDir(), "mirror"), p.dial)
	startLink(t, l)
	await(t, l, "at first", func(s State) bool { return s.Complete })

	got, err := l.Datasets()
	must(t, err)
	want := lists.Map(source.List(data), func(e source.Entry) source.Entry {
		return source.Entry{Name: e.Name, Purpose: e.Purpose, Available: e.Available,
			Download: e.Download}
	})
	if !slices.Equal(got, want) {
		t.Errorf("the datasets are %+v, want %+v", got, want)
	}

	s := foreseen()
	here, err := train.Foresee(t.Context(), s, data, 4)
	must(t, err)
	there, err := l.Foresee(s, 4)
	must(t, err)
	if fmt.Sprint(there) != fmt.Sprint(here) || len(there.Warnings) == 0 || there.Bytes == 0 {
		t.Errorf("the box foresees %+v, want %+v with a warning and the space", there, here)
	}

	s.Dataset = "csv:" + filepath.Join(data, "none.csv")
	if _, err := l.Foresee(s, 4); err == nil || !strings.HasPrefix(err.Error(), "box gpu1: ") {
		t.Errorf("of a file that is not there: %v, want an error of the box", err)
	}
	if there := record.Starting(h.store.Dir(), ""); len(there) > 0 {
		t.Errorf("the box has the runs %v, want none", there)
	}
}

// TestForeseeLong: a forecast takes as long as the box says that it is at it, and a link that is
// cut meanwhile is an error.
func TestForeseeLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory(t, 1)
		p, l := newPiped(t, h, newMadeVerbs(h))
		hangs := make(chan struct{})
		p.side.Approved = func(string) error {
			<-hangs
			return nil
		}
		s := foreseen()
		s.Model = "program:/there/train.py"
		s.SettleProgram("/")
		time.AfterFunc(3*answerTime, func() { close(hangs) })
		f, err := l.Foresee(s, 4)
		must(t, err)
		if !strings.Contains(f.Unknown, "program") {
			t.Errorf("of a program %+v is foreseen, want that it is not known", f)
		}
		hangs = make(chan struct{})
		defer close(hangs)
		time.AfterFunc(time.Second, p.cutForGood)
		if _, err := l.Foresee(s, 4); !errors.Is(err, errLost) {
			t.Errorf("a link that is cut: %v, want that the answer was lost", err)
		}
	})
}

// TestUnapprovedThere: a program that is not approved on the box is refused before the start, with
// the command that approves it there.
func TestUnapprovedThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistory(t, 1)
		v := newMadeVerbs(h)
		p, l := newPiped(t, h, v)
		p.side.Approved = func(path string) error {
			return fmt.Errorf("you %w %s: approve it with drolab trust %s", runner.ErrUnapproved,
				path, path)
		}
		s := foreseen()
		s.Model = "program:/there/train.py"
		s.SettleProgram("/")
		_, err := l.Foresee(s, 4)
		want := "box gpu1: you have not approved /there/train.py: approve it with drolab trust " +
			"--box gpu1 /there/train.py"
		if err == nil || err.Error() != want || !errors.Is(err, runner.ErrUnapproved) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	})
}

// TestHostileForesight: what a box says of its machine, its datasets and of runs is cut, and has no
// signs that a terminal obeys.
func TestHostileForesight(t *testing.T) {
	l := NewLink("gpu1", t.TempDir(), nil)
	near := &nearConversation{Link: l, out: newSender(io.Discard)}
	bad := "\x1b]0;x\a\n" + strings.Repeat("y", 1<<12)
	hello := &Hello{Protocol: protocol, Format: runner.Format, Version: bad, System: bad, CPU: bad,
		RunsDir: bad, Advice: strings.Repeat("z\n", 1<<16), Cores: -3, Memory: -1}
	must(t, near.take(&frame{Hello: hello}))
	got := l.State().Hello
	for _, text := range []string{got.Version, got.System, got.CPU, got.RunsDir} {
		if !isTame(text) {
			t.Errorf("the hello has %.100q, want a short line", text)
		}
	}
	if got.Cores < 0 || got.Memory < 0 || len(got.Advice) > 1<<13 {
		t.Errorf("the hello has %d cores, %d bytes and %d bytes of advice", got.Cores, got.Memory,
			len(got.Advice))
	}

	answered := func(a *answer, ask func()) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			go ask()
			synctest.Wait()
			a.Seq = l.requests.last
			must(t, near.take(&frame{Answer: a}))
		})
	}
	list := slices.Repeat([]dataset{{Name: bad, Purpose: bad, Download: -5}}, 5000)
	answered(&answer{Datasets: list}, func() {
		there, err := l.Datasets()
		if err != nil || len(there) > mostDatasets {
			t.Errorf("%d datasets, %v: want at most %d", len(there), err, mostDatasets)
		}
		for _, e := range there {
			if !isTame(e.Name) || !isTame(e.Purpose) || e.Download < 0 {
				t.Errorf("a dataset is %.200q, want short lines", fmt.Sprint(e))
			}
		}
	})
	forecast := &train.Forecast{Warnings: slices.Repeat([]string{bad}, 5000), Unknown: bad,
		Checkpoints: -1, Bytes: -1}
	answered(&answer{Forecast: forecast, Error: bad}, func() {
		f, err := l.Foresee(foreseen(), 4)
		if err == nil || !isTame(err.Error()) || len(f.Warnings) > mostWarnings ||
			!isTame(f.Unknown) || !isTame(f.Warnings[0]) || f.Checkpoints < 0 || f.Bytes < 0 {
			t.Errorf("foreseen are %d warnings, %.100q, %d, %d, %.100v: want short lines and no "+
				"negative number", len(f.Warnings), f.Unknown, f.Checkpoints, f.Bytes, err)
		}
	})
	answered(&answer{}, func() {
		if f, err := l.Foresee(foreseen(), 4); err == nil {
			t.Errorf("an answer without a forecast is %+v, want an error", f)
		}
	})
}

// TestForesightIsChecked: the box refuses questions that would cost it much.
func TestForesightIsChecked(t *testing.T) {
	h := newHistory(t, 1)
	for what, change := range map[string]func(q *foreseeing){
		"many seeds":   func(q *foreseeing) { q.Spec.Seeds = 1 << 40 },
		"many methods": func(q *foreseeing) { q.Spec.Algorithms = make([]dro.Algorithm, 1000) },
		"many parts":   func(q *foreseeing) { q.Parts = 1 << 40 },
		"bad settings": func(q *foreseeing) { q.Spec.Epochs = -1 },
	} {
		q := &foreseeing{foreseen(), 4}
		change(q)
		text, err := json.Marshal(&ask{Seq: 1, Foresee: q})
		must(t, err)
		var out bytes.Buffer
		s := newFarConversation(&FarSide{RunsDir: h.store.Dir()}, &out)
		must(t, s.beginAsk(t.Context(), text))
		f, err := newReceiver(&out).next()
		must(t, err)
		if f.Answer == nil || f.Answer.Error == "" {
			t.Errorf("%s: %+v, want an error", what, f.Answer)
		}
	}
}
