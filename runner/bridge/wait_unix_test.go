//go:build unix

package bridge

import (
	"os"
	"testing"
)

// TestLooksLess: a reader whose looks are in vain looks more and more rarely, and looks often again
// once the looks are worth it.
func TestLooksLess(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	e := newPollingReader(in).(*pollingReader)
	e.into = make([]byte, 1)
	looks := 0
	wait := func() (found bool) {
		e.raw.Control(func(fd uintptr) {
			if e.skips == 0 {
				looks++
			}
			found = e.poll(fd)
		})
		return found
	}
	for range 10_000 {
		if wait() {
			t.Fatal("something is read where nothing was written")
		}
	}
	if looks > 14 { // with 1 + 2 + 4 + ... waits between them
		t.Errorf("%d looks in 10000 waits in vain", looks)
	}
	for e.skips > 0 {
		wait()
	}
	for range hitsForShortPause {
		e.countHit()
	}
	if wait(); e.skips != 1 {
		t.Errorf("%d waits without a look behind %d that were worth it: want 1", e.skips,
			hitsForShortPause)
	}
	out.Write([]byte{7})
	if !wait() || e.n != 1 || e.into[0] != 7 {
		t.Error("what was written is not read")
	}
}
