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
		t.Errorf("%d looks in 10000 waits in vain, want at most 14", looks)
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
	if !wait() {
		t.Error("wait() = false, want true once a byte was written")
	}
	if e.n != 1 {
		t.Errorf("%d bytes are read, want 1", e.n)
	}
	if e.into[0] != 7 {
		t.Errorf("the byte %d is read, want 7", e.into[0])
	}
}
