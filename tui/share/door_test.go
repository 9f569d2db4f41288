package share

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"testing"

	gossh "golang.org/x/crypto/ssh"
)

// silent opens n connections that send nothing, and returns when the server has closed the given
// number of connections.
func (p *party) silent(t *testing.T, n, closed int) {
	t.Helper()
	for range n {
		c, err := net.Dial("tcp", p.wires.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		<-p.wires.taken
	}
	for range closed {
		<-p.wires.ended
	}
}

// TestSilentCrowd holds as many connections open as the server allows, and tries more, all without
// a key. A viewer with a key still gets a screen at once and keeps it. No deadline passes.
func TestSilentCrowd(t *testing.T) {
	p := invite(t, nil)
	const room = 3 + spare
	p.silent(t, 60, 60-room)
	first := p.watch("xterm", 80, 24)
	first.await(t, "read-only")
	// One connection had to go for the first viewer, whose own place became free when the key was
	// shown.
	p.silent(t, 2*room, 1+2*room-1)
	first.press("3")
	first.await(t, "12 runs")
	p.watch("xterm", 80, 24).await(t, "read-only")
}

// named is a key that a client can name but cannot sign with.
type named struct {
	key   gossh.PublicKey
	asked chan struct{} // closed when the server asks for a signature
	over  chan struct{}
}

func (n *named) PublicKey() gossh.PublicKey { return n.key }

func (n *named) Sign(io.Reader, []byte) (*gossh.Signature, error) {
	close(n.asked)
	<-n.over
	return nil, errors.New("somebody else's key")
}

// TestNamedKey: naming a listed key, which is no secret, is not enough to count as its holder.
func TestNamedKey(t *testing.T) {
	p := invite(t, nil)
	n := &named{p.known.PublicKey(), make(chan struct{}), make(chan struct{})}
	c, err := net.Dial("tcp", p.wires.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	w, left := <-p.wires.taken, make(chan struct{})
	go func() {
		defer close(left)
		gossh.NewClientConn(c, "party", &gossh.ClientConfig{
			User:            "anybody",
			Auth:            []gossh.AuthMethod{gossh.PublicKeys(n)},
			HostKeyCallback: gossh.FixedHostKey(p.host),
		})
	}()
	<-n.asked // the server would take that key
	p.silent(t, 3+spare, 1)
	select {
	case <-w.closed:
	default:
		t.Error("who only names a key does not go for others")
	}
	close(n.over)
	<-left
}

// stranger returns a connection from an address.
func stranger(address string) *link { return &link{from: netip.MustParsePrefix(address)} }

// TestDoor: strangers, from one address or from many, do not keep out a viewer with a key.
func TestDoor(t *testing.T) {
	const viewers = 3
	const each, all = viewers + spare, mostAddresses * (viewers + spare)
	alice := "192.0.2.1/32"
	t.Run("one address", func(t *testing.T) {
		d, a := newDoor(viewers), stranger(alice)
		d.enter(a)
		for i := range 10_000 {
			if goes := d.enter(stranger("198.51.100.1/32")); goes == a {
				t.Fatalf("stranger %d of another address pushes alice out", i)
			}
		}
		if len(d.strangers) != 1+each {
			t.Errorf("%d strangers", len(d.strangers))
		}
		if !d.pass(a) {
			t.Error("alice's key does not let her in")
		}
	})
	t.Run("many addresses", func(t *testing.T) {
		d := newDoor(viewers)
		for i := range 10 * all {
			d.enter(stranger(fmt.Sprintf("10.0.%d.%d/32", i/256, i%256)))
		}
		if len(d.strangers) != all {
			t.Errorf("%d strangers, want %d", len(d.strangers), all)
		}
		for range 2 { // two colleagues behind one address
			a := stranger(alice)
			if goes := d.enter(a); goes == nil || goes.from == a.from {
				t.Errorf("for alice goes %v", goes)
			}
			defer func() {
				if !d.pass(a) {
					t.Error("alice's key does not let her in")
				}
			}()
		}
	})
	t.Run("keys", func(t *testing.T) {
		d := newDoor(viewers)
		var in []*link
		for range each + 1 {
			l := stranger(alice)
			d.enter(l)
			if d.pass(l) {
				in = append(in, l)
			}
		}
		if len(in) != each || d.known != each {
			t.Errorf("%d of %d are let in, %d counted", len(in), each, d.known)
		}
		for _, l := range in {
			d.leave(l)
			d.leave(l) // both ends close it
		}
		if d.known != 0 || len(d.strangers) != 1 {
			t.Errorf("all left: %d known, %d strangers", d.known, len(d.strangers))
		}
	})
}
