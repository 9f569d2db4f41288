// Package memory bounds what a process takes of the machine's memory. A request that needs more
// than the machine has is refused with an explanation before it allocates, because the system's
// killer would end every run of the process.
//
// It keeps one ledger for the process. A reservation for a run, a dataset or a reading
// process counts as used until its [Share] is released, whether the memory is allocated or
// not. A process that reads foreign files gets a share and limits itself to it ([Bound]).
//
// The ledger is compared with an estimate of the machine's free memory. Linux also reports
// the limits of the process and of its control group; macOS, FreeBSD and Windows report the
// machine's memory, and have been built but not tried. On other systems every request is
// granted.
//
// # Files
//
//	memory.go        the ledger: requests, reservations, the refusal "... needs about N of
//	                 memory"; sizes with a unit
//	memory_linux.go  Linux: free memory, limits of the process and its control groups; Bound
//	bound_other.go   other systems: Bound, by a look at the allocator now and then
//	free_darwin.go, free_freebsd.go, free_windows.go, free_other.go
//	                 the free memory of these systems
package memory

import (
	"context"
	"errors"
	"fmt"
	"runtime/metrics"
	"sync"
)

// spare is the share of the free memory that is left to the rest of the machine.
const spare = 0.05

// collectAt is the share of a process's bound from which on the garbage collector never rests.
const collectAt = 0.9

// OutOfMemory is part of the last words of a process that ends at its bound, as Go's runtime writes
// them.
const OutOfMemory = "out of memory"

// Error is the refusal of a request for memory.
type Error struct {
	What      string  // the thing that needs the memory
	Need, Has float64 // bytes
	promised  bool    // the memory is there, but promised to other parts of this process
	passes    bool    // some of these promises are passing shares: see [ReservePart]
}

func (e *Error) Error() string {
	cause, remedy := "can be had", "make it smaller, or use a machine with more"
	if e.promised {
		cause, remedy = "is not promised to what runs now", "try again when that has ended"
	}
	return fmt.Sprintf("%s needs about %s of memory, and %s %s: %s",
		e.What, Size(e.Need), Size(max(0, e.Has)), cause, remedy)
}

// ledger holds the sum of the bytes of all shares, and the number of passing shares.
var ledger struct {
	sync.Mutex
	bytes   float64
	passing int
	settled chan struct{} // closed when the last passing share no longer passes
}

// Share is memory that is promised until it is released.
type Share struct {
	Bounded bool // the machine's free memory is known
	Crowded bool // other passing shares left it less: see [Settled]
	bytes   float64
	passing bool
}

// little is a number of bytes that a request gets without a look at the free memory, for the look
// takes longer than the reading of a small file.
const little = 1 << 20

// Ask returns an *Error where fewer than this number of bytes are free now, promised or not. It
// grants a request for little memory.
func Ask(bytes float64, what string) error {
	if bytes <= little {
		return nil
	}
	if free, known := Free(); known && bytes > free*(1-spare) {
		return &Error{What: what, Need: bytes, Has: free}
	}
	return nil
}

// Reserve promises this number of bytes, or returns an *Error. Where only passing shares leave no
// room, it waits until they end, or until ctx ends.
func Reserve(ctx context.Context, bytes float64, what string) (*Share, error) {
	return await(ctx, what, bytes, func(float64) float64 { return bytes })
}

// ReservePart promises the given part of the memory that can still be promised. It returns an
// *Error where that is less than least, and waits as Reserve does. The share is a passing one: it
// is for a process that ends soon, after which the share is shrunk.
func ReservePart(ctx context.Context, part, least float64, what string) (*Share, error) {
	partOf := func(left float64) float64 { return part * left }
	s, err := await(ctx, what, least/part, partOf)
	if err != nil {
		return nil, err
	}
	ledger.Lock()
	defer ledger.Unlock()
	s.passing = true
	s.Crowded = ledger.passing > 0
	if !s.Crowded {
		ledger.settled = make(chan struct{})
	}
	ledger.passing++
	return s, nil
}

// await calls promise again for as long as passing shares leave no room.
func await(
	ctx context.Context, what string, need float64, share func(left float64) float64,
) (*Share, error) {
	for {
		s, err := promise(what, need, share)
		if lack, ok := errors.AsType[*Error](err); !ok || !lack.passes {
			return s, err
		}
		if err := Settled(ctx); err != nil {
			return nil, err
		}
	}
}

// Settled waits until there is no passing share, or until ctx ends.
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

// promise gives share(left) bytes, where left is the memory that can still be promised. The error
// is an *Error where need exceeds that memory, or the memory that Ask grants. Where the free memory
// is not known, the share is empty.
func promise(what string, need float64, share func(left float64) float64) (*Share, error) {
	ledger.Lock()
	defer ledger.Unlock()
	if err := Ask(need, what); err != nil {
		return nil, err
	}
	free, known := Free()
	if !known {
		return &Share{}, nil
	}
	// The system cannot tell which promised bytes were allocated already. So the promises are
	// compared with the sum of what is free and what the process has.
	unpromised := free + resident() - ledger.bytes
	if need > unpromised {
		return nil, &Error{What: what, Need: need, Has: unpromised, promised: true,
			passes: ledger.passing > 0}
	}
	s := &Share{Bounded: true, bytes: share(min(free, unpromised))}
	ledger.bytes += s.bytes
	return s, nil
}

// Bytes returns the number of bytes that are promised.
func (s *Share) Bytes() float64 { return s.bytes }

// Shrink gives back all but this number of bytes. The share no longer passes.
func (s *Share) Shrink(bytes float64) {
	ledger.Lock()
	defer ledger.Unlock()
	if s.passing {
		s.passing = false
		ledger.passing--
		if ledger.passing == 0 {
			close(ledger.settled)
		}
	}
	less := max(0, s.bytes-bytes)
	s.bytes -= less
	ledger.bytes -= less
}

// Release gives back the whole share.
func (s *Share) Release() { s.Shrink(0) }

// allocated returns the number of bytes that this program's allocator has from the system.
func allocated() float64 {
	s := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(s)
	return float64(s[0].Value.Uint64()) - float64(s[1].Value.Uint64())
}

// Size formats a number of bytes with its unit.
func Size(bytes float64) string {
	for _, unit := range []string{"kB", "MB", "GB"} {
		bytes /= 1000
		if bytes < 1000 {
			return fmt.Sprintf("%.3g %s", bytes, unit)
		}
	}
	return fmt.Sprintf("%.3g TB", bytes/1000)
}
