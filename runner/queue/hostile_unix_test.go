//go:build unix

package queue

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/spec"
)

// TestMachineIsAsked asks for more than the machine has, in every way that a request can. Each
// request is refused before anything is taken.
func TestMachineIsAsked(t *testing.T) {
	for name, want := range map[string]func(*spec.Spec, *runner.Means){
		"samples is 2000000000": func(s *spec.Spec, _ *runner.Means) {
			s.Dataset, s.Samples = "shapes",
				2_000_000_000
		},
		"memory":                func(s *spec.Spec, _ *runner.Means) { s.BatchZ = math.MaxInt },
		"batches of 1000000000": func(s *spec.Spec, _ *runner.Means) { s.BatchZ = 1_000_000_000 },
		"threads":               func(_ *spec.Spec, m *runner.Means) { m.Threads = 1_000_000_000 },
		"epochs":                func(s *spec.Spec, _ *runner.Means) { s.Epochs = 1<<62 + 1 },
		"lr: 1e-320":            func(s *spec.Spec, _ *runner.Means) { s.LR = 1e-320 },
		"rho: 1e-320":           func(s *spec.Spec, _ *runner.Means) { s.Rho = 1e-320 },
	} {
		m := newMemoryStore()
		q := NewQueue(context.Background(), Settings{Store: m, Threads: 1})
		r := runner.Request{Specs: []spec.Spec{brief(dro.SFK)}}
		want(&r.Specs[0], &r.Means)
		if _, err := q.Start(r); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Start() = %v, want an error with %q", err, name)
		}
		if q.Wait(); len(m.runs) > 0 {
			t.Errorf("%s leaves %d runs", name, len(m.runs))
		}
	}
	s := spec.Defaults()
	s.Seeds = math.MaxInt
	if err := s.Validate(); err == nil {
		t.Error("seeds without end are taken")
	}
}

// TestNull: null is not a setting's value, wherever it comes from.
func TestNull(t *testing.T) {
	for _, row := range spec.AllSettings() {
		s := spec.Defaults()
		before := row.Text(&s)
		err := s.Assign(row.Key, []byte("null"))
		var wrong *spec.KeyError
		after := row.Text(&s)
		taken := err == nil && after != "[]" && after != before && s.Validate() == nil
		if taken {
			t.Errorf("%s: null becomes %s, want an error", row.Key, after)
		}
		if err != nil && !errors.As(err, &wrong) {
			t.Errorf("%s: the error of null is %v, want a KeyError", row.Key, err)
		}
	}
	s := spec.Defaults()
	if err := s.Assign("log_every", []byte("null")); err == nil {
		t.Error("log_every: null is taken")
	}
}

// TestRunJSONThatWasChanged: a run is not resumed if its run.json has values that no run can have
// and that would lead to a division by zero.
func TestRunJSONThatWasChanged(t *testing.T) {
	for name, change := range map[string]func(*runner.Meta){
		"log_every: 0":        func(m *runner.Meta) { m.Spec.LogEvery = 0 },
		"0 an epoch":          func(m *runner.Meta) { m.StepsPerEpoch = 0 },
		"checkpoint_keep: -1": func(m *runner.Meta) { m.Spec.CheckpointKeep = -1 },
	} {
		m := newMemoryStore()
		q := NewQueue(context.Background(), Settings{Store: m, Threads: 1})
		ids, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.ERM)}})
		if err != nil {
			t.Fatal(err)
		}
		q.Wait()
		change(m.runs[ids[0]].meta)
		if err := q.Resume(ids[0]); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Resume() = %v, want an error with %q", err, name)
		}
	}
}

// TestMappedFileIsCut truncates the image file of a run that trains. That run fails and says why,
// and another run goes on.
func TestMappedFileIsCut(t *testing.T) {
	dir := t.TempDir()
	defer func(was int64) { data.InMemory = was }(data.InMemory)
	data.InMemory = 1 << 20 // data maps larger files
	const n, side = 40, 1024
	for _, part := range []string{"train", "t10k"} {
		images := binary.BigEndian.AppendUint32([]byte{0, 0, 8, 3}, n)
		labels := binary.BigEndian.AppendUint32([]byte{0, 0, 8, 1}, n)
		size := int64(16 + n*side*side)
		if part == "t10k" {
			images, size = binary.BigEndian.AppendUint32([]byte{0, 0, 8, 3}, 2), 16+2*side*side
			labels = binary.BigEndian.AppendUint32([]byte{0, 0, 8, 1}, 2)
		}
		images = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(images, side), side)
		for i := range (size - 16) / side / side {
			labels = append(labels, byte(i%2))
		}
		for name, b := range map[string][]byte{"images-idx3": images, "labels-idx1": labels} {
			if err := os.WriteFile(filepath.Join(dir, part+"-"+name+"-ubyte"), b,
				0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Truncate(filepath.Join(dir, part+"-images-idx3-ubyte"), size); err != nil {
			t.Fatal(err)
		}
	}
	teams := []int{1, 2} // two threads read ahead
	if testing.Short() {
		teams = []int{2}
	}
	for _, threads := range teams {
		m := newMemoryStore()
		q := NewQueue(context.Background(), Settings{Store: m, Threads: threads, Parallel: 1})
		s := brief(dro.ERM)
		s.Dataset, s.Model, s.Batch, s.Epochs, s.EvalEvery = "idx:"+dir, "linear", 2, 6, 0
		cut := filepath.Join(dir, "train-images-idx3-ubyte")
		ids, err := q.Start(runner.Request{Specs: []spec.Spec{s},
			Means: runner.Means{Threads: threads}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(cut, 16); err != nil {
			t.Fatal(err)
		}
		other, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.SFK)}})
		if err != nil {
			t.Fatal(err)
		}
		ended := map[string]string{}
		for _, o := range q.Wait() {
			ended[o.ID] = fmt.Sprintf("%s %v", o.Status, o.Err)
		}
		got := ended[ids[0]]
		if !strings.HasPrefix(got, "failed") || !strings.Contains(got, "cut or lost while in use") {
			t.Errorf("on %d threads, a run without its images is %.300s", threads, got)
		}
		if got := ended[other[0]]; got != "done <nil>" {
			t.Errorf("the other run is %s", got)
		}
		if err := os.Truncate(cut, int64(16+n*side*side)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStartBesideOneThatHangs: a start beside another start that hangs is refused in time.
func TestStartBesideOneThatHangs(t *testing.T) {
	opened, release := make(chan struct{}), make(chan struct{})
	defer source.Register(data.Provider{Name: "hanging", Purpose: "for a test",
		Open: func(string, data.Options) (*data.Dataset, error) {
			close(opened)
			<-release
			return nil, errors.New("it was nothing")
		}})()
	q := NewQueue(context.Background(), Settings{Store: newMemoryStore(), Threads: 1,
		verbTimeout: time.Millisecond})
	answer := make(chan error, 1)
	s := brief(dro.ERM)
	s.Dataset = "hanging"
	go func() { _, err := q.Start(runner.Request{Specs: []spec.Spec{s}}); answer <- err }()
	<-opened
	if _, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.ERM)}}); err == nil ||
		!strings.Contains(err.Error(), "another start") {
		t.Errorf("a start beside one that hangs: %v", err)
	}
	close(release)
	if err := <-answer; err == nil {
		t.Error("nothing was opened, and no error says so")
	}
	if _, err := q.Start(runner.Request{Specs: []spec.Spec{brief(dro.ERM)}}); err != nil {
		t.Error(err)
	}
	q.Wait()
}

// TestEmptyGroup: a run warns of groups that have no training samples or no test samples.
func TestEmptyGroup(t *testing.T) {
	dir := t.TempDir()
	write := func(name, rows string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("x,group,label\n"+rows), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	train := write("train.csv", "1,a,0\n2,b,1\n3,a,0\n4,b,1\n")
	test := write("test.csv", "1,a,0\n2,c,1\n")
	s := brief(dro.ERM)
	s.Dataset, s.Batch, s.Epochs = "csv:"+train+"?test="+test, 2, 1
	m := newMemoryStore()
	q := NewQueue(context.Background(), Settings{Store: m, Threads: 1})
	ids, err := q.Start(runner.Request{Specs: []spec.Spec{s}})
	if err != nil {
		t.Fatal(err)
	}
	q.Wait()
	var said []string
	for _, e := range m.runs[ids[0]].events {
		if w, ok := e.(*runner.WarningEvent); ok {
			said = append(said, w.Message)
		}
	}
	text := strings.Join(said, "\n")
	for _, want := range []string{"c has no training samples", "b has no test samples",
		"worst of the others"} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing says %q: %s", want, text)
		}
	}
}
