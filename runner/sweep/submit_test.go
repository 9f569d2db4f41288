package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"drolab/runner/disk"
	"drolab/runner/internal/atomicfile/atomicfiletest"
	"drolab/runner/spec"
)

// TestSubmitPoints: a start on a cluster ends at each of its operations. The next start submits
// what is missing, and no run is in the queue twice.
func TestSubmitPoints(t *testing.T) {
	b := fakes(t)
	ctx := context.Background()
	start := func(files disk.Files, dir string, queue *string) error {
		f, err := openBy(files, dir)
		if err != nil {
			return err
		}
		jobs := strings.Count(*queue, "|0|PENDING")
		return f.WithLock(func() error {
			if err := f.Adopt(ctx); err != nil {
				return err
			}
			there, err := f.Jobs(ctx, false)
			if err != nil {
				return err
			}
			todo := slices.DeleteFunc(count(4), there.Live)
			stages, err := f.Batches(todo,
				&Resources{Threads: 1, Estimate: func(s *spec.Spec) (Need, error) {
					return Need{Seconds: 3000 * s.Rho}, nil // two classes: two arrays
				}})
			if err != nil {
				return err
			}
			submit := func(_ context.Context, args []string) (string, error) {
				_, array, _ := strings.Cut(strings.Join(args, " "), "--array=")
				var from, to int
				fmt.Sscanf(array, "%d-%d", &from, &to)
				for task := from; task <= to; task++ {
					*queue += fmt.Sprintf("%d|%d|PENDING||0|x|\n", 40+jobs, task)
				}
				jobs++
				b.says(t, "queue", *queue)
				return fmt.Sprint(39 + jobs), nil
			}
			_, err = f.Submit(ctx, stages, &Resources{Threads: 1}, submit)
			return err
		})
	}
	once := func(at string, x *atomicfiletest.Faults) {
		f, queue := made(t, fewer), ""
		b.says(t, "queue", "")
		start(disk.Files{Open: x.Open}, f.Dir, &queue)
		for range 2 {
			if err := start(disk.Files{}, f.Dir, &queue); err != nil {
				t.Errorf("%s: the next start: %v", at, err)
			}
		}
		tasks := map[string]int{}
		for line := range strings.Lines(queue) {
			tasks[strings.Split(line, "|")[1]]++
		}
		jobs, err := f.Jobs(ctx, false)
		if fmt.Sprint(tasks) != "map[0:1 1:1 2:1 3:1]" || len(jobs) != 4 || err != nil {
			t.Errorf("%s: tasks %v, %v are known, %v", at, tasks, jobs, err)
		}
	}
	whole := &atomicfiletest.Faults{}
	once("whole", whole)
	for at, x := range atomicfiletest.Points(whole.Trace(), pointSteps(8), errors.New("fails")) {
		if x.Part == 0 {
			once(at, x)
		}
	}
}
