package data

import "runtime/debug"

// ahead makes batches on a goroutine of its own, one before it is asked for.
//
//	take(p): the batch of p, if it is the one ordered (else it is ordered now)
//	         -> swap memory -> order the one after p
//	worker:  order -> make -> made
//
// The caller owns everything but the maker and spare, which are the worker's from an order until
// its batch is taken.
type ahead struct {
	maker   *maker
	spare   Batch // the memory that is not the caller's
	orders  chan place
	made    chan made
	pending bool
	ordered place // while pending
}

// made is a batch, or what the source panicked with.
type made struct {
	batch Batch
	panic any
}

func startAhead(m *maker) *ahead {
	a := &ahead{maker: m, spare: m.newRoom(), orders: make(chan place, 1), made: make(chan made, 1)}
	go a.work()
	return a
}

// work is the worker's life. Neither channel ever holds more than one: it ends as soon as orders is
// closed.
func (a *ahead) work() {
	defer close(a.made)
	debug.SetPanicOnFault(true) // try gives it to the caller
	for p := range a.orders {
		a.made <- a.try(p)
	}
}

func (a *ahead) try(p place) (m made) {
	defer func() { m.panic = recover() }()
	return made{batch: a.maker.make(&a.spare, p)}
}

// take gives the batch of p. It lies in what was spare; the caller's room, free now, becomes the
// spare one.
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
		panic(m.panic) // where the batch was asked for
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
