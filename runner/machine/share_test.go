package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/runner/internal/cgroup"

	"github.com/shirou/gopsutil/v4/mem"
)

// group makes a control group of version 2 with a limit of memory and a quota of processors.
func group(t *testing.T, memory, quota string) (tree cgroup.Tree, uses func(seconds float64)) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("self", "0::/\n")
	write("memory.max", memory)
	write("memory.current", "700000000\n")
	write("memory.stat", "inactive_file 200000000\n")
	write("cpu.max", quota)
	uses = func(seconds float64) {
		t.Helper()
		write("cpu.stat", fmt.Sprintf("usage_usec %.0f\n", 1e6*seconds))
	}
	uses(1)
	return cgroup.Tree{Root: dir, Self: filepath.Join(dir, "self")}, uses
}

// TestShareOfTheMachine: where a control group lets this process use a part of the machine, samples
// are of this part, and the figures have the decimals that small parts need.
func TestShareOfTheMachine(t *testing.T) {
	groups, uses := group(t, "1000000000\n", "50000 100000\n")
	host := &mem.VirtualMemoryStat{Total: 64 << 30, Available: 60 << 30}
	s := Sample{Memory: memory(host, groups)}
	if want := (Part{5e8, 1e9}); s.Memory != want {
		t.Errorf("the memory is %v, want %v, as of the group", s.Memory, want)
	}
	busy, now := cores{groups: groups}, time.Unix(1000, 0)
	if got := busy.look(now); got != (Part{}) {
		t.Errorf("the first look finds %v, want nothing", got)
	}
	uses(5)
	s.CPU = busy.look(now.Add(10 * time.Second))
	if want := (Part{.4, .5}); s.CPU != want {
		t.Errorf("the processors are %v, want %v, as of the group", s.CPU, want)
	}
	uses(2) // the group is another one
	if got := busy.look(now.Add(20 * time.Second)); got != (Part{}) {
		t.Errorf("a look at another group finds %v, want nothing", got)
	}
	lines := ""
	for _, l := range Lines([]Sample{s}, func([]float64) string { return "" }) {
		lines += l.Part + ": " + l.Text + "\n"
	}
	for _, want := range []string{"CPU: 0.4/0.5 cores", "memory: 0.5/0.9 GiB"} {
		if !strings.Contains(lines, want) {
			t.Errorf("no %q in\n%s", want, lines)
		}
	}
	if got := coresOf(groups); got != .5 {
		t.Errorf("the process may use %v processors, want .5", got)
	}
	wide, _ := group(t, "max\n", "max 100000\n")
	if got := memory(host, wide); got != (Part{4 << 30, 64 << 30}) {
		t.Errorf("without a limit the memory is %v, want that of the machine", got)
	}
	large, _ := group(t, "999000000000\n", "100000000 100000\n")
	if got := memory(host, large); got.Of != 64<<30 {
		t.Errorf("with a limit above the machine's memory it is %v, want the machine's", got)
	}
	if got, want := coresOf(large), coresOf(wide); got != want {
		t.Errorf("with a quota of 1000 processors the process may use %v, want %v", got, want)
	}
}
