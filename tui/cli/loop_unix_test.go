//go:build unix

package cli

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/record"
)

// TestLoopIsToldToStop: the process beside a script passes on a hangup as the wish to stop, and
// bears that a cluster tells all processes to end besides.
func TestLoopIsToldToStop(t *testing.T) {
	dir := t.TempDir()
	pipe := func() (r, w *os.File) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		return r, w
	}
	told, tells := pipe()
	said, says := pipe()
	c := exec.Command("drolab", "loop", "--runs", dir)
	c.ExtraFiles, c.Env = []*os.File{told, says}, append(os.Environ(), "DROLAB_PIPES=3,4")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	told.Close()
	says.Close()
	conn := bridge.NewConn(said, tells)
	type message = map[string]any
	ask := func(m message, arrays ...bridge.Array) (answer struct {
		Error string
		Stop  bool
	}) {
		t.Helper()
		if err := conn.Send(m, arrays...); err != nil {
			t.Fatal(err)
		}
		_, err := conn.Receive(&answer, bridge.MostHead, bridge.MostBody)
		if err != nil || answer.Error != "" {
			t.Fatalf("the answer to %v is an error: %v, %q", m, err, answer.Error)
		}
		return answer
	}
	ask(message{"do": "start", "version": 2, "samples": message{"train": 2},
		"settings": message{"method": "erm", "batch": 2, "epochs": 1 << 20}})
	step := func() (stop bool) {
		t.Helper()
		stop = ask(message{"do": "weights", "has": []string{"losses"}},
			bridge.Floats([]float64{1, 2})).Stop
		err := conn.Send(message{"do": "step"}, bridge.Floats([]float64{.1, 1}))
		if err != nil {
			t.Fatal(err)
		}
		return stop
	}
	if step() {
		t.Error("it stops before it is told to")
	}
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		if err := c.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		for !step() {
		}
	}
	ask(message{"do": "end", "status": "stopped"})
	if err := c.Wait(); err != nil {
		t.Errorf("the process beside the script ends with %v, want no error", err)
	}
	run, err := record.Find(dir, "latest")
	if err != nil {
		t.Fatal(err)
	}
	if run.Status() != runner.Stopped {
		t.Errorf("the run is %v, want %v", run.Status(), runner.Stopped)
	}
}
