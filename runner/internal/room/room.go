// Package room bounds memory. A request that needs more than the machine has is refused
// with an explanation before it allocates, because the system's killer would end every run
// of the process.
//
// It keeps one ledger for the process. A reservation for a run, a dataset or a reading
// process counts as used until its [Share] is released, whether the memory is allocated or
// not. A process that reads foreign files gets a share and limits itself to it ([Bound]).
//
// The ledger is compared with an estimate of the machine's free memory. Linux also reports
// the limits of the process and of its control group; macOS, FreeBSD and Windows report the
// machine's memory, and have been built but not tried. On other systems every request is
// granted.
package room

import (
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"sync"
)

// spare is left to the rest of the machine, as a share of what there is.
const spare = 0.05

// collectAt is the part of a process's bound from which on the collector never rests.
const collectAt = 0.9

// OutOfMemory is in what a process writes that ends at its bound, as Go has it.
const OutOfMemory = "out of memory"

// Error says that there is no room.
type Error struct {
	What      string  // that needs it
	Need, Has float64 // bytes
	promised  bool    // there would be room, were it not promised to others of this process
	passes    bool    // and some of these pass
}

func (e *Error) Error() string {
	cause, remedy := "can be had", "make it smaller, or use a machine with more"
	if e.promised {
		cause, remedy = "is not promised to what runs now", "try again when that has ended"
	}
	return fmt.Sprintf("%s needs about %s of memory, and %s %s: %s",
		e.What, Size(e.Need), Size(max(0, e.Has)), cause, remedy)
}

// ledger has the bytes of all shares, and how many of these are parts that pass.
var ledger struct {
	sync.Mutex
	bytes   float64
	passing int
	settled chan struct{} // closed when none passes any more
}

// Share is memory that is promised until it is released.
type Share struct {
	Bounded bool // it is known how much there is
	Crowded bool // a part of what others left, which pass: see [Settled]
	bytes   float64
	passing bool
}

// Ask returns an *Error where so many bytes are not there now, promised or not.
func Ask(bytes float64, what string) error {
	if free, known := Free(); known && bytes > free*(1-spare) {
		return &Error{What: what, Need: bytes, Has: free}
	}
	return nil
}

// Take promises so many bytes, or returns an *Error. While memory is promised to parts
// that pass, it waits for their end, or that of ctx.
func Take(ctx context.Context, bytes float64, what string) (*Share, error) {
	return await(ctx, func() (*Share, error) {
		return take(what, bytes, func(float64) float64 { return bytes })
	})
}

// TakePart promises a part of all that can still be promised, or returns an *Error
// where that is less than the least; it waits as Take does. The share passes: it is for
// a process that ends soon, and is shrunk then.
func TakePart(ctx context.Context, part, least float64, what string) (*Share, error) {
	s, err := await(ctx, func() (*Share, error) {
		return take(what, least/part, func(left float64) float64 { return part * left })
	})
	if err != nil {
		return nil, err
	}
	ledger.Lock()
	defer ledger.Unlock()
	if s.passing, s.Crowded = true, ledger.passing > 0; !s.Crowded {
		ledger.settled = make(chan struct{})
	}
	ledger.passing++
	return s, nil
}

// await tries again where it is shares that pass which leave no room.
func await(ctx context.Context, try func() (*Share, error)) (*Share, error) {
	for {
		s, err := try()
		var lack *Error
		if !errors.As(err, &lack) || !lack.passes {
			return s, err
		}
		if err := Settled(ctx); err != nil {
			return nil, err
		}
	}
}

// Settled waits until no share passes any more, or for the end of ctx.
func Settled(ctx context.Context) error {
	ledger.Lock()
	passing, settled := ledger.passing, ledger.settled
	ledger.Unlock()
	if passing == 0 {
		return nil
	}
	select {
	case <-settled:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take promises what a share is of what is left, if that is no less than the need.
func take(what string, need float64, share func(left float64) float64) (*Share, error) {
	ledger.Lock()
	defer ledger.Unlock()
	if err := Ask(need, what); err != nil {
		return nil, err
	}
	free, known := Free()
	if !known {
		return &Share{}, nil
	}
	// The machine cannot tell which promises were taken already: they are held
	// against what is free and what the process has.
	unpromised := free + resident() - ledger.bytes
	if need > unpromised {
		return nil, &Error{What: what, Need: need, Has: unpromised, promised: true,
			passes: ledger.passing > 0}
	}
	s := &Share{Bounded: true, bytes: share(min(free, unpromised))}
	ledger.bytes += s.bytes
	return s, nil
}

// Bytes is how much is promised.
func (s *Share) Bytes() float64 { return s.bytes }

// Shrink gives back all but so many bytes, which pass no more.
func (s *Share) Shrink(bytes float64) {
	ledger.Lock()
	defer ledger.Unlock()
	if s.passing {
		s.passing = false
		if ledger.passing--; ledger.passing == 0 {
			close(ledger.settled)
		}
	}
	less := max(0, s.bytes-bytes)
	s.bytes -= less
	ledger.bytes -= less
}

// Release gives all of it back.
func (s *Share) Release() { s.Shrink(0) }

// taken is what this program's allocator has of the system.
func taken() float64 {
	s := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(s)
	return float64(s[0].Value.Uint64()) - float64(s[1].Value.Uint64())
}

// Size writes a number of bytes.
func Size(bytes float64) string {
	for _, unit := range []string{"kB", "MB", "GB"} {
		if bytes /= 1000; bytes < 1000 {
			return fmt.Sprintf("%.3g %s", bytes, unit)
		}
	}
	return fmt.Sprintf("%.3g TB", bytes/1000)
}
