package disk

import (
	"errors"
	"os"
	"testing"
)

// TestReplacedWhileItIsOpened checks that a file that others replace is read, and that a file that
// they replace without end is an error.
func TestReplacedWhileItIsOpened(t *testing.T) {
	for times, want := range map[int]error{3: nil, 1 << 20: errReplaced} {
		f := in(t, t.TempDir())
		must(t, os.WriteFile(f.Join("a"), []byte("old"), 0o600))
		f.Disk = &replacingDisk{f.Disk, times, func() {
			must(t, os.WriteFile(f.Join("b"), []byte("new"), 0o600))
			must(t, os.Rename(f.Join("b"), f.Join("a")))
		}}
		o, _, err := f.Read("a")
		if !errors.Is(err, want) {
			t.Errorf("replaced %d times: %v", times, err)
		}
		if err == nil {
			must(t, o.Close())
		}
	}
}
