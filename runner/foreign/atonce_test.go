package foreign

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"drolab/runner"
	"drolab/runner/record"
)

// longTable is a table of which an import tells its progress once, at its end.
func longTable() string {
	var b strings.Builder
	b.WriteString("step,x\n")
	for step := 1; step <= 4096; step++ {
		fmt.Fprintf(&b, "%d,%d\n", step, step)
	}
	return b.String()
}

// TestImportsAtOnce: processes that have read the same log, and of which none has made its run,
// make one run of it.
func TestImportsAtOnce(t *testing.T) {
	dir, store := t.TempDir(), newStore(t)
	write(t, dir, map[string]string{"m.csv": longTable()})
	const n = 4
	var all, met sync.WaitGroup
	met.Add(n)
	made := make(chan *Outcome, n)
	for range n {
		all.Go(func() {
			other, err := record.Open(store.Dir()) // as another process has it
			if err != nil {
				t.Error(err)
				met.Done()
				return
			}
			o := options()
			o.Progress = func(int64, int64) {
				met.Done()
				met.Wait()
			}
			done, err := only(t, dir).Import(context.Background(), other, o, &Seeds{})
			if err != nil {
				t.Error(err)
				return
			}
			made <- done
		})
	}
	all.Wait()
	close(made)
	known := 0
	for done := range made {
		if done.Known {
			known++
		}
	}
	if runs, _ := record.List(store.Dir()); len(runs) != 1 || known != n-1 {
		t.Errorf("there are %d runs, and %d of %d imports found the run of another, want 1 and %d",
			len(runs), known, n, n-1)
	}
}

// TestFollowedAlready: a log that is being followed is not imported beside it, and not followed
// twice. Once the following has ended, the log is imported on.
func TestFollowedAlready(t *testing.T) {
	dir, store := t.TempDir(), newStore(t)
	write(t, dir, map[string]string{"m.csv": "step,x\n1,1\n"})
	r := follow(t, store, dir, script{actions: []func(){func() {
		done, err := only(t, dir).Import(context.Background(), store, options(), &Seeds{})
		if err != nil || !done.Followed {
			t.Errorf("an import beside it: %+v, %v, want that the log is followed", done, err)
		}
		_, err = only(t, dir).Follow(context.Background(), store, options(),
			Following{Poll: time.Microsecond, Idle: time.Nanosecond})
		if err == nil || !strings.Contains(err.Error(), "follows this log already") {
			t.Errorf("a second one beside it: %v, want that the log is followed already", err)
		}
		write(t, dir, map[string]string{"m.csv": "step,x\n1,1\n2,2\n"})
	}}})
	status(t, r, runner.Stopped)
	write(t, dir, map[string]string{"m.csv": "step,x\n1,1\n2,2\n3,3\n"})
	done, _ := imports(t, store, dir, options())
	if runs, _ := record.List(store.Dir()); !done.Grown || len(runs) != 1 {
		t.Errorf("afterwards there are %d runs, and the import is %+v, want the one run", len(runs),
			done)
	}
}

// TestFollowAgain: whoever follows a log again goes on in its run, which is there at every moment
// and keeps its label.
func TestFollowAgain(t *testing.T) {
	dir, store := t.TempDir(), newStore(t)
	write(t, dir, map[string]string{"m.csv": "step,x\n1,1\n"})
	first := follow(t, store, dir, script{})
	if err := first.Relabel(func(l *record.Label) { l.Note = "kept" }); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"m.csv": "step,x\n1,1\n2,2\n"})
	again := follow(t, store, dir, script{actions: []func(){appends(t, dir+"/m.csv", "3,3\n")}})
	if again.Meta.ID != first.Meta.ID || again.Label().Note != "kept" {
		t.Errorf("the run is %s with the label %q, want %s", again.Meta.ID, again.Label(),
			first.Meta.ID)
	}
	expect(t, curves(t, again), "user.x", at{1, 1}, at{2, 2}, at{3, 3})
}
