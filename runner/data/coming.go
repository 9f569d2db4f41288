package data

import "drolab/runner/data/internal/dataset"

// coming is the state of a loader's announcements.
type coming struct {
	to    *place // the last batch announced; nil: none since the start or a Restore
	index []int  // room for the indices of its samples
}

// announce announces the two batches after the one that was just given, but no batch twice and, for
// a sequential loader, none of the next pass.
func (l *Loader) announce() {
	m, p := l.maker, l.next
	for range 2 {
		if m.kind == sequential && p.epoch > l.batch.Epoch {
			return
		}
		if l.coming.to == nil || l.coming.to.before(p) {
			if l.coming.index == nil {
				l.coming.index = make([]int, len(l.room.Index))
			}
			index := l.coming.index[:m.count(p)]
			m.peek(index, p)
			l.coming.to = &place{p.epoch, p.step}
			m.opt.Announce(p.epoch, index)
		}
		p = m.after(p)
	}
}

func (p place) before(q place) bool {
	return p.epoch < q.epoch || p.epoch == q.epoch && p.step < q.step
}

// peek writes the indices of a batch of this epoch or the next one, as draw does, but leaves the
// order of this epoch alone. It makes the order of the next epoch in m.next, where shuffle looks
// for it.
func (m *maker) peek(index []int, p place) {
	if m.order == nil || m.orderOf == p.epoch+1 {
		m.draw(index, p)
		return
	}
	if m.nextOf != p.epoch+1 {
		if m.next == nil {
			m.next = make([]uint32, len(m.order))
		}
		m.permute(m.next, p.epoch)
		m.nextOf = p.epoch + 1
	}
	m.order, m.next = m.next, m.order
	m.reseed(dataset.PurposeBatch, p.epoch, p.step)
	m.pick(index, p)
	m.order, m.next = m.next, m.order
}
