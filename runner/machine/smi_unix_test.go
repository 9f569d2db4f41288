//go:build unix

package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNvidiaSMI: whatever nvidia-smi does, a run gets samples of the rest of the machine, and no
// program is left when the watch has ended. GPUs are told where there are some.
func TestNvidiaSMI(t *testing.T) {
	const gpu = "0, GPU-0, 38, 41000, 81559, 310.25, 61"
	app := fmt.Sprintf("GPU-0, %d, 300", os.Getpid())
	for name, does := range map[string]string{
		"good": `case $1 in *query-gpu*) echo "` + gpu + `";; *) echo "` + app +
			`";; esac; exec sleep 1000`,
		"hangs":    "exec sleep 1000",
		"fails":    "echo NVIDIA-SMI has failed; exit 9",
		"nonsense": `printf '\033]0;x\007,,,,,,\n\000\377\n'; exec sleep 1000`,
		"floods":   `exec yes ", , , , , , "`,
		"long":     "exec cat /dev/zero",
		"absent":   "",
	} {
		t.Run(name, func(t *testing.T) { underNvidiaSMI(t, does, name == "good") })
	}
}

// underNvidiaSMI follows a run of this process beside an nvidia-smi that does something.
func underNvidiaSMI(t *testing.T, does string, good bool) {
	dir := t.TempDir()
	if does != "" {
		text := "#!/bin/sh\necho $$ >> " + dir + "/pids\n" + does + "\n"
		err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte(text), 0o755)
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	pids := func() []string {
		text, _ := os.ReadFile(filepath.Join(dir, "pids"))
		return strings.Fields(string(text))
	}
	samples := make(chan Sample)
	w := NewWatch(t.Context(), dir, func(p any) { t.Errorf("the watch panics: %v", p) })
	w.Every = time.Millisecond
	leave := w.Follow(func(s *Sample) {
		select {
		case samples <- *s:
		case <-w.ctx.Done():
		}
	})
	for s := range samples {
		if s.Memory.Of == 0 {
			t.Fatal("the sample has no memory of the machine")
		}
		if s.Run.Memory == 0 {
			t.Fatal("the sample has no memory of the run")
		}
		if s.CPU.Of < 1 {
			t.Fatalf("the sample has %v processors, want 1 or more", s.CPU.Of)
		}
		if s.Run.Workers > 0 {
			t.Fatalf("the run has %d workers, want none", s.Run.Workers)
		}
		if !good && len(s.GPUs) > 0 {
			t.Fatalf("the sample has the GPUs %+v, want none", s.GPUs)
		}
		told := !good || len(s.GPUs) == 1 && s.GPUs[0].Run > 0
		if told && (does == "" || len(pids()) == 2) {
			break
		}
	}
	leave()
	w.End()
	for _, text := range pids() {
		pid, err := strconv.Atoi(text)
		for err == nil && syscall.Kill(pid, 0) == nil { // it has ended once its parent has waited
			runtime.Gosched()
		}
	}
}

// TestWatchGPUs: the GPUs of a machine are told with their names. A name with commas, or of a GPU
// that cannot be, is passed over.
func TestWatchGPUs(t *testing.T) {
	dir := t.TempDir()
	text := `#!/bin/sh
case $1 in
*index,name*) echo "0, NVIDIA H100"; echo "1, a, b"; echo "-1, c"; echo "4096, d" ;;
*) echo "0, GPU-0, 38, 41000, 81559, 310.25, 61"; exec sleep 1000 ;;
esac
`
	if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	now := WatchGPUs(t.Context())
	var list []GPU
	for len(list) == 0 || list[0].Name == "" {
		list = now()
		runtime.Gosched()
	}
	if len(list) != 1 || list[0].Name != "NVIDIA H100" || list[0].Use.Used != 38 {
		t.Errorf("the GPUs are %+v, want one H100 in use for 38%% of the time", list)
	}
}
