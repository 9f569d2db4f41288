package data

import "drolab/runner/data/internal/dataset"

// coming is what a loader has announced.
type coming struct {
	to    *place // the last batch announced; nil: none since the start or a Restore
	index []int  // room for its samples
}

// announce tells of the batches up to two behind the one that was just given. What it has told of
// before it does not tell again.
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

// peek is draw for a batch of this epoch or the next one. It leaves the order of this one alone:
// the next one's is made beside it, where shuffle looks for it.
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
