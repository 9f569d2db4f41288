package record

import (
	"fmt"
	"testing"

	"drolab/runner"
	"drolab/runner/eventlog"
)

// runsIn is the Source of the runs in a folder.
type runsIn string

func (f runsIn) Find(id string) (*Run, error) { return Find(string(f), id) }
func (runsIn) Open(r *Run) eventlog.Log       { return r.Tail() }

// recordFork makes a run that goes on from parent, RUN@STEP, and logs steps up to last.
func recordFork(t *testing.T, s *Store, parent string, first, last int64) string {
	t.Helper()
	m := newMeta(1)
	m.Parent = parent
	var from *runner.State
	if parent != "" {
		from = newState(first)
	}
	c, err := s.Create(m, from)
	must(t, err)
	appendSteps(t, c.(*recorder), first+1, last)
	must(t, c.Close())
	return m.ID
}

// lineageText reads a run's whole log and returns it in short: the step of each step event, and the
// run that it was forked from.
func lineageText(t *testing.T, s *Store, id string) (list []string) {
	t.Helper()
	r, err := Find(s.Dir(), id)
	must(t, err)
	log := Lineage(runsIn(s.Dir()), r)
	for {
		events, err := log.Read()
		must(t, err)
		if len(events) == 0 {
			return list
		}
		for _, e := range events {
			switch e := e.(type) {
			case *eventlog.ForkEvent:
				list = append(list, e.Parent)
			case *runner.StepEvent:
				list = append(list, fmt.Sprint(e.Step))
			}
		}
	}
}

func TestLineage(t *testing.T) {
	s := newStore(t)
	first := recordFork(t, s, "", 0, 5)
	second := recordFork(t, s, first+"@3", 3, 6)
	third := recordFork(t, s, second+"@4", 4, 5)
	if got, want := fmt.Sprint(lineageText(t, s, third)),
		fmt.Sprintf("[1 2 3 %s@3 4 %s@4 5]", first, second); got != want {
		t.Errorf("a fork of a fork tells %s, want %s", got, want)
	}
	must(t, Delete(s.Dir(), first))
	if got, want := fmt.Sprint(lineageText(t, s, second)), "["+first+"@3 4 5 6]"; got != want {
		t.Errorf("without its parent a fork tells %s, want %s", got, want)
	}
	for _, parent := range []string{"../" + second + "@3", "latest@3", second[:5] + "@3"} {
		if got, want := fmt.Sprint(lineageText(t, s, recordFork(t, s, parent, 3, 4))),
			fmt.Sprintf("[%s 4]", parent); got != want {
			t.Errorf("a fork of what is no name tells %s, want %s", got, want)
		}
	}
}

// selfForkSource is a Source whose runs claim to be forks of themselves.
type selfForkSource struct{ runsIn }

func (n selfForkSource) Find(id string) (*Run, error) {
	r, err := n.runsIn.Find(id)
	if err == nil {
		r.Meta.Parent = id + "@3"
	}
	return r, err
}

func TestForkOfItself(t *testing.T) {
	s := newStore(t)
	n := selfForkSource{runsIn(s.Dir())}
	r, err := n.Find(recordFork(t, s, "", 0, 5))
	must(t, err)
	log, events := Lineage(n, r), 0
	for {
		list, err := log.Read()
		must(t, err)
		if len(list) == 0 {
			break
		}
		events += len(list)
	}
	if most := 5*(maxGenerations+1) + maxGenerations; events < 5 || events > most {
		t.Errorf("%d events of a log of 5, want 5 to %d", events, most)
	}
}
