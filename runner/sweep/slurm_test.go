package sweep

import (
	"context"
	"testing"
	"time"
)

// TestWhatSlurmSays: tasks are known by the job of their array and their number, also the last task
// of an array. A task that Slurm has given up is shown with the reason.
func TestWhatSlurmSays(t *testing.T) {
	b := newFakeSlurm(t)
	f := made(t, tiny)
	batches, err := f.Batches(count(8), nil, &Resources{Threads: 1, Time: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Submit(context.Background(), batches, nil, &Resources{Threads: 1}, Sbatch)
	if err != nil {
		t.Fatal(err)
	}
	b.says(t, "queue", "40 |0 |PENDING | |2 |BeginTime |\n"+
		"40|1|RUNNING|n3|0|None|\n"+
		"40|N/A|PENDING||0|x|\n"+
		"garbage\n"+
		"40|7|PENDING||0|Resources|\n")
	b.says(t, "show", "JobId=43 ArrayJobId=40 ArrayTaskId=2 "+
		"JobState=NODE_FAIL Reason=NodeDown Restarts=1 NodeList=n2\n"+
		"JobId=44 ArrayJobId=40 ArrayTaskId=3 "+
		"JobState=COMPLETED Reason=None NodeList=n1\n")
	jobs, err := f.Jobs(context.Background(), true)
	if err != nil {
		t.Fatal(err)
	}
	if !jobs.Busy() {
		t.Fatalf("Busy() of %v = false, want true", jobs)
	}
	if err := tasked(f, 3).Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	list := states(t, f)
	jobs.Mark(list)
	for i, want := range map[int][2]string{
		0: {"queued", "Slurm: pending (BeginTime), requeued 2 times"},
		1: {"queued", "Slurm: running on n3"},
		2: {"failed", "Slurm: node_fail (NodeDown) on n2, requeued once"},
		3: {"done", ""},
		4: {"missing", ""},
		7: {"queued", "Slurm: pending (Resources)"},
	} {
		if got := [2]string{string(list[i].Status), list[i].Cause}; got != want {
			t.Errorf("run %d has the status and cause %q, want %q", i, got, want)
		}
	}
}

// TestHolderOfALease: a life of a task that Slurm has ended holds no lease.
func TestHolderOfALease(t *testing.T) {
	b := newFakeSlurm(t)
	f := made(t, tiny)
	b.says(t, "queue", "40|1|RUNNING|n3|1|None|\n40|2|PENDING||1|BeginTime|\n")
	h := f.Holder(t.Context(), "40", "5", "2")
	if want := "slurm 40_5 2"; h.Name != want {
		t.Errorf("the holder's name is %q, want %q", h.Name, want)
	}
	for name, want := range map[string][2]bool{
		"slurm 40_1 1": {true, true},
		"slurm 40_1 0": {false, true},
		"slurm 40_2 0": {false, true},
		"slurm 40_3 0": {false, true},
		"slurm 40_5 1": {false, true},
		"slurm 40_5 2": {false, false},
		"somebody":     {false, false},
		"":             {false, false},
	} {
		if alive, known := h.Alive(name); alive != want[0] || known != want[1] {
			t.Errorf("Alive(%q) = %v, %v, want %v, %v", name, alive, known, want[0], want[1])
		}
	}
}
