package share

import (
	"net"
	"net/netip"
	"slices"
	"sync"
)

// connectionLimiter bounds the number of connections. A connection is authenticated once its client
// has shown a listed key. Where there are too many others, the oldest of them is closed, and a
// login is over long before that many others have come. Those of one address are closed for each
// other before any other one is. Authenticated connections are counted separately.
type connectionLimiter struct {
	limit int // of authenticated connections, and of the others of one address

	mu              sync.Mutex
	unauthenticated []*connection // the oldest first
	authenticated   int
}

// mostAddresses is the number of addresses whose unauthenticated connections may reach the limit.
const mostAddresses = 4

// add counts a new connection, and returns the one that has to be closed for it, or nil.
func (m *connectionLimiter) add(c *connection) (closes *connection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unauthenticated = append(m.unauthenticated, c)
	sameAddress := func(s *connection) bool { return s.from == c.from }
	same := 0
	for _, s := range m.unauthenticated {
		if sameAddress(s) {
			same++
		}
	}
	switch {
	case same > m.limit:
		return m.remove(slices.IndexFunc(m.unauthenticated, sameAddress))
	case len(m.unauthenticated) > mostAddresses*m.limit:
		return m.remove(0)
	}
	return nil
}

// remove removes a connection from the unauthenticated ones, and returns it.
func (m *connectionLimiter) remove(i int) *connection {
	c := m.unauthenticated[i]
	m.unauthenticated = slices.Delete(m.unauthenticated, i, i+1)
	return c
}

// authenticate counts a connection whose client has shown a key. It returns false if the connection
// was closed meanwhile, or if the limit is reached.
func (m *connectionLimiter) authenticate(c *connection) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.Index(m.unauthenticated, c)
	if i < 0 || m.authenticated == m.limit {
		return false
	}
	m.remove(i)
	c.authenticated = true
	m.authenticated++
	return true
}

// release no longer counts a connection.
func (m *connectionLimiter) release(c *connection) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.unauthenticated, c); i >= 0 {
		m.remove(i)
	} else if c.authenticated {
		c.authenticated = false
		m.authenticated--
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
