package room

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestAsk(t *testing.T) {
	var none *Error
	if err := Ask(1e18, "a thing"); !errors.As(err, &none) {
		t.Errorf("an exabyte can be had: %v", err)
	}
	if err := Ask(1e6, "a thing"); err != nil {
		t.Error(err)
	}
	e := &Error{"a thing", 2.5e9, 31e6}
	if want := "a thing needs about 2.5 GB of memory, and 31 MB can be had: make it smaller, " +
		"or use a machine with more"; e.Error() != want {
		t.Errorf("%s", e)
	}
}

// TestTaken: where the system is not asked, the allocator says about what it would.
func TestTaken(t *testing.T) {
	before := taken()
	block := make([]byte, 64<<20)
	for i := range block {
		block[i] = 1
	}
	if got := taken() - before; got < 60<<20 || taken() > 4*Resident() {
		t.Errorf("64 MiB more make %v bytes; %v in all, and the system says %v", got, taken(), Resident())
	}
	runtime.KeepAlive(block)
}

func TestGroup(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"memory.max": "1000\n", "memory.current": "700\n",
		"memory.stat": "anon 600\ninactive_file 50\n", "free.max": "max\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := within(dir, "memory.max", "memory.current", "inactive_file"); got != 350 {
		t.Errorf("%v bytes are left of 1000", got)
	}
	if got := within(dir, "free.max", "memory.current", "inactive_file"); got < 1e300 {
		t.Errorf("%v bytes are left without a limit", got)
	}
}
