package memory

import (
	"context"
	"errors"
	"runtime"
	"testing"
)

func TestAsk(t *testing.T) {
	var none *Error
	if err := Ask(1e18, "a thing"); !errors.As(err, &none) {
		t.Errorf("an exabyte can be had: %v", err)
	}
	for _, bytes := range []float64{little, 1e7} {
		if err := Ask(bytes, "a thing"); err != nil {
			t.Error(err)
		}
	}
	e := &Error{What: "a thing", Need: 2.5e9, Has: 31e6}
	const want = "a thing needs about 2.5 GB of memory, and 31 MB can be had: make it smaller, " +
		"or use a machine with more"
	if got := e.Error(); got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

// TestLedger: memory is promised only once, however much of a share is in use.
func TestLedger(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	free, _ := Free()
	first, err := ReservePart(ctx, .75, 1e6, "the first")
	if err != nil {
		t.Fatalf("ReservePart of three quarters: %v", err)
	}
	if !first.Bounded || first.Crowded {
		t.Fatalf("the first share is %+v, want it bounded and not crowded", first)
	}
	if got := first.Bytes(); got < .5*free || got > .76*free {
		t.Fatalf("the first share has %v bytes, want .5 to .76 of %v", got, free)
	}
	second, err := ReservePart(ctx, .75, 1e6, "the second")
	if err != nil {
		t.Fatalf("ReservePart beside another: %v", err)
	}
	if !second.Crowded {
		t.Errorf("the second share is %+v, want it crowded", second)
	}
	if a, b := first.Bytes(), second.Bytes(); a+b > free+resident() {
		t.Errorf("%v and %v bytes are promised, want at most %v together", a, b, free+resident())
	}
	second.Release()
	// Half of the memory is there once the first part is smaller.
	waited := make(chan error)
	go func() {
		third, err := Reserve(ctx, free/2, "a run")
		if err == nil {
			third.Release()
		}
		waited <- err
	}()
	first.Shrink(free / 4)
	if err := <-waited; err != nil {
		t.Fatalf("Reserve of a half, after the first gave back half of the memory: %v", err)
	}
	if got := first.Bytes(); got > free/4 {
		t.Fatalf("the first share has %v bytes after Shrink, want at most %v", got, free/4)
	}
	if err := Settled(ctx); err != nil {
		t.Error(err)
	}
	var none *Error
	rest, err := Reserve(ctx, free/2, "a run")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Reserve(ctx, free/2, "a run"); !errors.As(err, &none) || !none.promised {
		t.Errorf("Reserve of a half beside another half that stays: %v, want an Error of memory "+
			"that is promised", err)
	}
	passes, err := ReservePart(ctx, .5, 1e6, "a part")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := Reserve(ctx, free/2, "a run"); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits any more: %v", err)
	}
	for _, s := range []*Share{rest, passes, first} {
		s.Release()
	}
	if ledger.bytes > 1 || ledger.passing != 0 {
		t.Errorf("%v bytes stay promised to nobody, %d pass", ledger.bytes, ledger.passing)
	}
}

// TestTaken: where the system is not asked, the allocator reports about as many bytes as the system
// would.
func TestTaken(t *testing.T) {
	before := allocated()
	block := make([]byte, 64<<20)
	for i := range block {
		block[i] = 1
	}
	if got := allocated() - before; got < 60<<20 || allocated() > 4*resident() {
		t.Errorf("64 MiB more make %v bytes; %v in all, and the system says %v", got, allocated(),
			resident())
	}
	runtime.KeepAlive(block)
}
