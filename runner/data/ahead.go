package data

import "runtime/debug"

// ahead makes batches on its own goroutine, each one before the caller asks for it.
//
//	take(p): the batch of p, if it is the one ordered (else it is ordered now)
//	         -> swap memory -> order the one after p
//	worker:  order -> make -> made
//
// The caller owns every field except maker and spare. The worker owns these two from the moment a
// batch is ordered until it is taken.
type ahead struct {
	maker   *maker
	spare   Batch // the worker's memory for a batch; the caller has its own
	orders  chan place
	made    chan made
	pending bool
	ordered place // the place of the pending batch, if pending is set
}

// made is a batch, or the value with which the source panicked.
type made struct {
	batch Batch
	panic any
}

func startAhead(m *maker) *ahead {
	a := &ahead{maker: m, spare: m.newRoom(), orders: make(chan place, 1), made: make(chan made, 1)}
	go a.work()
	return a
}

// work runs on the worker's goroutine and ends as soon as orders is closed: neither channel ever
// holds more than one item, so no send blocks.
func (a *ahead) work() {
	defer close(a.made)
	debug.SetPanicOnFault(true) // try passes the panic on to the caller
	for p := range a.orders {
		a.made <- a.try(p)
	}
}

func (a *ahead) try(p place) (m made) {
	defer func() { m.panic = recover() }()
	return made{batch: a.maker.make(&a.spare, p)}
}

// take returns the batch of place p, which lies in the memory that was spare, and orders the batch
// after it. The caller's room, which is free now, becomes the spare memory.
func (a *ahead) take(p place, room *Batch) Batch {
	if a.pending && a.ordered != p { // after a Restore
		<-a.made
		a.pending = false
	}
	if !a.pending {
		a.order(p)
	}
	m := <-a.made
	a.pending = false
	if m.panic != nil {
		panic(m.panic) // on the goroutine that asked for the batch
	}
	*room, a.spare = a.spare, *room
	a.order(a.maker.after(p))
	return m.batch
}

func (a *ahead) order(p place) {
	a.orders <- p
	a.ordered, a.pending = p, true
}

// stop ends the worker and returns when it has let go of the source.
func (a *ahead) stop() {
	close(a.orders)
	for range a.made { // closed when the worker has ended
	}
}
