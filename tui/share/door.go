package share

import (
	"net"
	"net/netip"
	"slices"
	"sync"
)

// door counts connections. A stranger is a client that has not shown a listed key. Strangers hold
// no place against others: where there are too many, the one that came first has to go, and a login
// is over long before that many others have come. Strangers of one address give way to each other
// before anybody else does. Clients that have shown a key are counted apart.
type door struct {
	room int // the most strangers of one address, and the most clients that have shown a key

	mu        sync.Mutex
	strangers []*link // in the order in which they came
	known     int
}

// mostAddresses is the number of addresses that it takes to fill the door with strangers.
const mostAddresses = 4

// enter takes in a stranger, and returns the stranger that has to go for it, or nil.
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
	case beside > d.room:
		return d.remove(slices.IndexFunc(d.strangers, neighbour))
	case len(d.strangers) > mostAddresses*d.room:
		return d.remove(0)
	}
	return nil
}

// remove removes a stranger from the list, and returns it.
func (d *door) remove(i int) *link {
	l := d.strangers[i]
	d.strangers = slices.Delete(d.strangers, i, i+1)
	return l
}

// pass lets in a stranger that has shown a key. It returns false if the stranger had to go
// meanwhile, or if there are too many clients that have shown a key.
func (d *door) pass(l *link) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.Index(d.strangers, l)
	if i < 0 || d.known == d.room {
		return false
	}
	d.remove(i)
	l.known = true
	d.known++
	return true
}

// leave ends the connection of a stranger or of a client that has shown a key.
func (d *door) leave(l *link) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.Index(d.strangers, l); i >= 0 {
		d.remove(i)
	} else if l.known {
		l.known = false
		d.known--
	}
}

// addressOf returns the address that a connection comes from. For IPv6 it returns the network,
// because whoever has one address of a network has all of it.
func addressOf(c net.Conn) netip.Prefix {
	at, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Prefix{} // all unknown addresses count as one
	}
	addr := at.Addr().Unmap().WithZone("")
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits) // the address has at least this many bits
	return p
}
