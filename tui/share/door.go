package share

import (
	"net"
	"net/netip"
	"slices"
	"sync"
)

// door counts connections. Who has not shown a listed key is a stranger, and holds no
// place against others: where there are too many, the stranger that came first goes. A
// login is over long before that many others have come. Strangers of one address go for
// each other before anybody else does. Who has shown a key is counted apart.
type door struct {
	each, all int // strangers of one address, and of all together
	most      int // who have shown a key

	mu        sync.Mutex
	strangers []*link // as they came
	known     int
}

// mostAddresses is how many addresses it takes to fill the door with strangers.
const mostAddresses = 4

// newDoor has room for so many viewers, and for some more who log in, or are told
// that all places are taken.
func newDoor(viewers int) *door {
	return &door{each: viewers + spare, all: mostAddresses * (viewers + spare),
		most: viewers + spare}
}

// enter takes in a stranger, and returns the one that has to go for him, or nil.
func (d *door) enter(l *link) (goes *link) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.strangers = append(d.strangers, l)
	neighbour := func(s *link) bool { return s.from == l.from }
	beside := 0
	for _, s := range d.strangers {
		if neighbour(s) {
			beside++
		}
	}
	switch {
	case beside > d.each:
		return d.take(slices.IndexFunc(d.strangers, neighbour))
	case len(d.strangers) > d.all:
		return d.take(0)
	}
	return nil
}

// take takes a stranger out of the list.
func (d *door) take(i int) *link {
	l := d.strangers[i]
	d.strangers = slices.Delete(d.strangers, i, i+1)
	return l
}

// pass lets in a stranger who has shown a key, unless he had to go meanwhile or
// there are too many of those, too.
func (d *door) pass(l *link) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.Index(d.strangers, l)
	if i < 0 || d.known == d.most {
		return false
	}
	d.take(i)
	l.known = true
	d.known++
	return true
}

// leave is the end of a connection, whoever's it is.
func (d *door) leave(l *link) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.Index(d.strangers, l); i >= 0 {
		d.take(i)
	} else if l.known {
		l.known = false
		d.known--
	}
}

// addressOf is where a connection comes from. Of IPv6 it is the network: who has
// one address there has all of it.
func addressOf(c net.Conn) netip.Prefix {
	at, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Prefix{} // all others together
	}
	addr := at.Addr().Unmap().WithZone("")
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits) // so many it has
	return p
}
