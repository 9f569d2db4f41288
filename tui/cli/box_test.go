package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"drolab/tui/kit"
)

// The line has what the system tells, and NVIDIA's program is not run again and again.
func TestBox(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{"proc/loadavg": "1.26 2.00 3.30 1/2 3\n",
		"proc/meminfo": "MemTotal:  25000000 kB\nMemFree: 1 kB\nMemAvailable:  15234375 kB\n",
		"sys/class/drm/card0/device/gpu_busy_percent": "7\n"} {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ran := 0
	b := &box{root: root, smi: func() ([]byte, error) {
		ran++
		return []byte("34, 1024, 81559\n[N/A], 1, 1\n"), nil
	}}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	want := "load 1.3 of " + kit.Plural(runtime.NumCPU(), "core") +
		" · memory 10.0 of 25.6 GB · GPU 34 %, 1.1 of 85.5 GB · GPU 7 %"
	if got := b.line(now); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var viewers sync.WaitGroup
	for range 4 { // of a shared interface: the race detector looks
		viewers.Go(func() { b.line(now.Add(time.Second)) })
	}
	if viewers.Wait(); ran != 1 {
		t.Errorf("asked %d times in a second", ran)
	}
	if got := (&box{root: t.TempDir(), smi: nvidia}).line(now); got != "" {
		t.Errorf("%q of a system that tells nothing", got)
	}
}

func BenchmarkBox(b *testing.B) {
	box := newBox()
	for now := time.Now(); b.Loop(); now = now.Add(time.Millisecond) {
		box.line(now)
	}
}
