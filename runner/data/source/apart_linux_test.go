package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"drolab/dro/testsize"
	"drolab/runner/data"
)

// A table that needs more memory than is allowed ends the process that reads it, with one line of
// error here. A table that fits is read.
func TestApartIsBounded(t *testing.T) {
	testsize.NotShort(t, "fills the memory of a process, and TestApartErrors fails in others")
	if raceDetector {
		t.Skip("the race detector itself takes more memory than the reader is allowed here")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	defer ReadApart(func() *exec.Cmd {
		cmd := exec.Command("sh", "-c", "ulimit -d 163840 && exec \"$0\"", exe) // kB
		cmd.Env = append(os.Environ(), asReader+"=1")
		return cmd
	})()
	packed := gzipped(t, bytes.Repeat([]byte("1,0\n2,1\n"), 1<<16))
	for _, c := range []struct {
		members int // of 1 MB of memory each, and a little more for their marks
		want    string
	}{{1, ""}, {200, "allowed here: make it smaller, or use a machine with more"}} {
		path := filepath.Join(t.TempDir(), "rows.csv.gz")
		table := append(gzipped(t, []byte("a,label\n")), bytes.Repeat(packed, c.members)...)
		if err := os.WriteFile(path, table, 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := Open(path, data.Options{})
		if c.want == "" {
			if err != nil {
				t.Errorf("%d members: %v", c.members, err)
			} else if got := d.Train.Len() + d.Test.Len(); got != c.members<<17 {
				t.Errorf("%d members: %d samples, want %d", c.members, got, c.members<<17)
			}
			continue
		}
		if err == nil {
			t.Errorf("%d members: no error, want one that ends with %q", c.members, c.want)
			continue
		}
		if want := "dataset " + path + ": reading it takes more memory than"; !strings.HasPrefix(
			err.Error(), want) {
			t.Errorf("%d members: error %q, want it to begin with %q", c.members, err, want)
		}
		if !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%d members: error %q, want it to end with %q", c.members, err, c.want)
		}
	}
}

// A process that hangs is ended when its data set is no longer wanted.
func TestApartIsGivenUp(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "pid")
	defer ReadApart(func() *exec.Cmd {
		return exec.Command("sh", "-c",
			"echo $$ > "+mark+".new && mv "+mark+".new "+mark+" && exec tail -f /dev/null")
	})()
	ctx, cancel := context.WithCancel(context.Background())
	given := make(chan error)
	go func() {
		_, err := OpenContext(ctx, "csv:"+mark, data.Options{})
		given <- err
	}()
	until(t, func() bool { return data.Exists(mark) })
	cancel()
	if err := <-given; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(),
		"reading it was stopped") {
		t.Errorf("error %v, want one that wraps %v and says that reading it was stopped", err,
			context.Canceled)
	}
	b, err := os.ReadFile(mark)
	if err != nil {
		t.Fatal(err)
	}
	pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	until(t, func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
}

// A reading process ends with the process that it reads for, whatever it is doing.
func TestServeEndsWithItsInput(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), asReader+"=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, full, err := os.Pipe() // which nobody reads
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout = full
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	full.Close()
	var rows strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&rows, "%d,%d\n", i, i%2)
	}
	ask := request{Name: writeFile(t, "a.csv", "a,label\n"+rows.String()), Threads: 1}
	if err := writeHeader(in, &ask); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 100)); err != nil { // it writes
		t.Fatal(err)
	}
	in.Close()
	var failed *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &failed) || failed.ExitCode() != 1 {
		t.Errorf("it ended with %v", err)
	}
}

// until waits until so returns true; it fails shortly before the test's own deadline.
func until(t *testing.T, so func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end, bounded := t.Deadline(); !so(); {
		if bounded && time.Until(end) < 10*time.Second {
			t.Fatal("it does not come to be so")
		}
		<-tick.C
	}
}
