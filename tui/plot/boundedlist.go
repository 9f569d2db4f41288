package plot

// boundedList is a list of bounded length. When it is full, every second item is dropped; from then
// on only every second, fourth, ... is kept, and the latest.
type boundedList[T any] struct {
	items  []T
	stride int  // one item in so many is kept; 0 is 1
	skip   int  // items until the next that is kept
	loose  bool // the last item is kept only until the next
}

// Len returns the number of items that are kept.
func (l *boundedList[T]) Len() int { return len(l.items) }

// add adds an item to a list of at most so many, an even number.
func (l *boundedList[T]) add(item T, most int) {
	if l.loose {
		l.items = l.items[:len(l.items)-1]
	}
	if len(l.items) == most {
		for i := range most / 2 {
			l.items[i] = l.items[2*i]
		}
		l.items, l.stride = l.items[:most/2], 2*max(l.stride, 1)
	}
	l.items = append(l.items, item)
	l.loose = l.skip > 0
	if l.loose {
		l.skip--
	} else {
		l.skip = max(l.stride, 1) - 1
	}
}
