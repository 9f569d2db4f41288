package share

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"drolab/dro/testsize"

	gossh "golang.org/x/crypto/ssh"
)

// TestScreen: the interface is shown in the size of the client, and in every later one.
func TestScreen(t *testing.T) {
	t.Parallel()
	p := startServer(t, nil)
	v := p.watch("xterm-256color", 100, 30)
	v.await(t, "read-only")
	p.log.await(t, "alice from 127.0.0.1:")
	p.log.await(t, "looks, 100x30, xterm-256color, 1 of 3 places")
	v.since, v.w, v.h = len(v.out.String()), 60, 20
	if err := v.WindowChange(v.h, v.w); err != nil {
		t.Fatal(err)
	}
	v.await(t, "batch loss")
	v.press("3")
	v.await(t, "12 runs")
	v.press("q")
	if err := v.Wait(); err != nil {
		t.Errorf("leaving: %v", err)
	}
	p.log.await(t, "left after")
	out := v.out.String()
	if strings.LastIndex(out, "\x1b[?1049l") < strings.LastIndex(out, "\x1b[?1049h") {
		t.Error("the terminal is left on its other screen")
	}
}

// TestColours: each viewer gets the colours that its own terminal supports.
func TestColours(t *testing.T) {
	t.Parallel()
	p := startServer(t, nil)
	for i, c := range []struct {
		term, environ, has, hasNot string
	}{
		{"xterm-256color", "", "\x1b[38;5;", "\x1b[38;2;"},
		{"xterm-256color", "COLORTERM=truecolor", "\x1b[38;5;", "\x1b[38;2;"}, // half as many bytes
		{"xterm", "", "\x1b[", "\x1b[38;"},
		{"xterm-256color", "NO_COLOR=1", "\x1b[", "\x1b[38;"},
		{"linux", "", "+--", "╭"},
		{"../../etc/passwd", "", "╭", "\x1b[38;5;"},
	} {
		if testing.Short() && i%2 > 0 {
			continue
		}
		var environ []string
		if c.environ != "" {
			environ = append(environ, c.environ)
		}
		v := p.watch(c.term, 100, 30, environ...)
		v.await(t, "batch loss")
		v.press("q")
		v.Wait()
		out := v.out.String()
		if !strings.Contains(out, c.has) || c.hasNot != "" && strings.Contains(out, c.hasNot) {
			t.Errorf("%s %s: want %q in what is drawn, and not %q", c.term,
				c.environ, c.has, c.hasNot)
		}
	}
}

// TestOnlyKeys: nobody without a listed key gets in.
func TestOnlyKeys(t *testing.T) {
	p := startServer(t, nil)
	answer := func(_, _ string, questions []string, _ []bool) ([]string, error) {
		return make([]string, len(questions)), nil
	}
	for name, auth := range map[string][]gossh.AuthMethod{
		"nothing":  nil,
		"a key":    {gossh.PublicKeys(newKey(t))},
		"password": {gossh.Password("")},
		"answers":  {gossh.KeyboardInteractive(answer)},
	} {
		if c, _, err := p.connect(auth...); err == nil {
			c.Close()
			t.Errorf("with %s one gets in", name)
		}
	}
	p.login()
	if err := os.WriteFile(p.keys, []byte("# nobody\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.connect(gossh.PublicKeys(p.signer)); err == nil {
		t.Error("a key that was taken out gets in")
	}
	p.log.await(t, "no one can log in: ")
}

// TestNoShell: every request for something other than a screen is refused.
func TestNoShell(t *testing.T) {
	p := startServer(t, nil)
	c, _ := p.login()
	for _, kind := range []string{"tcpip-forward", "streamlocal-forward@openssh.com", "no-such"} {
		ok, _, err := c.SendRequest(kind, true, gossh.Marshal(struct {
			Address string
			Port    uint32
		}{"127.0.0.1", 0}))
		if err != nil {
			t.Errorf("the request %s: %v", kind, err)
		}
		if ok {
			t.Errorf("the request %s is granted", kind)
		}
	}
	for _, kind := range []string{"direct-tcpip", "direct-streamlocal@openssh.com",
		"auth-agent@openssh.com", "x11"} {
		if _, _, err := c.OpenChannel(kind, gossh.Marshal(struct {
			To     string
			Port   uint32
			From   string
			Origin uint32
		}{"127.0.0.1", 22, "127.0.0.1", 1})); err == nil {
			t.Errorf("a channel %s is opened", kind)
		}
	}
	s, requests, err := c.OpenChannel("session", nil)
	if err != nil {
		t.Fatal(err)
	}
	go gossh.DiscardRequests(requests)
	ask := func(kind string, payload any) bool {
		ok, err := s.SendRequest(kind, true, gossh.Marshal(payload))
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		return ok
	}
	empty := struct{ Nothing string }{}
	text := func(s string) any { return struct{ Text string }{s} }
	variable := func(name, value string) any { return struct{ Name, Value string }{name, value} }
	for kind, payload := range map[string]any{"exec": text("id"), "subsystem": text("sftp"),
		"signal":                     text("KILL"),
		"auth-agent-req@openssh.com": empty, "x11-req": empty, "break": empty, "no-such": empty,
		"window-change": empty, "env": variable("LD_PRELOAD", "x"), "pty-req": empty} {
		if ask(kind, payload) {
			t.Errorf("%s is granted", kind)
		}
	}
	for _, c := range []struct {
		name, value, why string
		granted          bool
	}{
		{"COLORTERM", "a b", "no plain word", false},
		{"COLORTERM", "truecolor", "the first", true},
		{"NO_COLOR", "1", "the second", true},
		{"COLORTERM", "yes", "the third, and two are the limit", false},
	} {
		if got := ask("env", variable(c.name, c.value)); got != c.granted {
			t.Errorf("the variable %s=%s (%s) is granted: %v, want %v", c.name, c.value, c.why, got,
				c.granted)
		}
	}
	if _, _, err := c.OpenChannel("session", nil); err == nil {
		t.Error("a connection has two sessions")
	}
}

// TestNeedsTerminal: a client without a terminal is told what to do.
func TestNeedsTerminal(t *testing.T) {
	p := startServer(t, nil)
	c, _ := p.login()
	s, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	s.Stderr = &errs
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	var status *gossh.ExitError
	if err := s.Wait(); !errors.As(err, &status) || status.ExitStatus() != 1 {
		t.Errorf("the session ends with %v, want status 1", err)
	}
	if want := "needs a terminal, as in ssh -t"; !strings.Contains(errs.String(), want) {
		t.Errorf("the client is told %q, want %q in it", errs.String(), want)
	}
}

// TestUnfitTerminal: a client whose terminal has no screen is told what to do.
func TestUnfitTerminal(t *testing.T) {
	v := startServer(t, nil).watch("dumb", 80, 24)
	v.Wait()
	if got := v.errs.String(); !strings.Contains(got, "set TERM") {
		t.Errorf("the client is told %q, want set TERM in it", got)
	}
	if got := v.out.String(); got != "" {
		t.Errorf("the client is shown %q, want nothing", got)
	}
}

// TestAsksLittle: no terminal of a viewer is asked for more than the colour of its background.
func TestAsksLittle(t *testing.T) {
	t.Parallel()
	v := startServer(t, nil).watch("xterm-kitty", 80, 24)
	v.await(t, "read-only")
	v.press("q")
	v.Wait()
	out := v.out.String()
	if n := strings.Count(out, "?\a"); n != 1 {
		t.Errorf("the terminal is asked for colours %d times, want once: %q", n, out)
	}
	for _, question := range []string{"$p", "\x1b[?u"} {
		if strings.Contains(out, question) {
			t.Errorf("the terminal is asked %q: %q", question, out)
		}
	}
}

// TestHostileSizes: no size of a client makes the server draw a screen that exhausts the memory of
// the machine.
func TestHostileSizes(t *testing.T) {
	t.Parallel()
	p := startServer(t, nil)
	for _, c := range []struct {
		w, h  int
		drawn string
	}{{0, 0, "80x24"}, {1 << 31, 1<<32 - 1, "512x160"}, {1, 1, "1x1"}} {
		v := p.watch("xterm", c.w, c.h)
		p.log.await(t, "looks, "+c.drawn+",")
		for _, next := range [][2]int{{1 << 31, 1 << 31}, {0, 7}, {7, 0}, {1, 1<<32 - 1}} {
			v.WindowChange(next[1], next[0])
		}
		v.press("\x1b[48;99999;99999;1;1t\x1b[8;99999;99999t\x1b[999999999;999999999R")
		v.since, v.w, v.h = len(v.out.String()), 50, 15
		v.WindowChange(v.h, v.w)
		v.press("3")
		v.await(t, "12 runs")
		v.press("q")
		v.Wait()
	}
}

// TestPlaces: there is room for a limited number of viewers, and for another one when somebody has
// left.
func TestPlaces(t *testing.T) {
	testsize.NotShort(t, "four viewers: TestSilentCrowd shows the limit of connections")
	t.Parallel()
	p := startServer(t, nil)
	var viewers []*viewer
	for range 3 {
		v := p.watch("xterm", 80, 24)
		v.await(t, "read-only")
		viewers = append(viewers, v)
	}
	late := p.watch("xterm", 80, 24)
	if err := late.Wait(); err == nil {
		t.Error("the fourth of three is not refused")
	}
	const want = "drolab: all 3 places are taken: try again when somebody has left\r\n"
	if late.errs.String() != want {
		t.Errorf("the fourth is told %q", late.errs)
	}
	viewers[1].press("q")
	viewers[1].Wait()
	p.log.await(t, "left after")
	p.watch("xterm", 80, 24).await(t, "read-only")
}

// TestStuck: a viewer that stops reading is cut off, while another goes on.
func TestStuck(t *testing.T) {
	t.Parallel()
	p := startServer(t, nil)
	stuck, other := p.watch("xterm", 80, 24), p.watch("xterm", 80, 24)
	stuck.await(t, "read-only")
	other.await(t, "read-only")
	stuck.conn.stall()
	stuck.press("3")
	// A write that was pending before the other viewer's screen changed and still is afterwards is
	// not a write to the other viewer.
	shows := []string{"Presets", "12 runs"}
	for i := 0; ; i++ {
		before := p.clock.of(writeTimeout)
		other.press([]string{"1", "3"}[i%2])
		other.await(t, shows[i%2])
		if p.clock.pass(before) > 0 {
			break
		}
	}
	p.log.await(t, "it read no output for 10s")
	<-stuck.conn.closed
	other.press("2")
	other.await(t, "batch loss")
	p.watch("xterm", 80, 24).await(t, "read-only")
}

// TestSilent: a client that connects and sends nothing is cut off.
func TestSilent(t *testing.T) {
	p := startServer(t, nil)
	c, err := net.Dial("tcp", p.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	w := <-p.listener.accepted
	p.clock.pass(p.clock.of(handshakeTimeout))
	<-w.closed
	_, lazy := p.login() // but asks for no screen
	p.clock.pass(p.clock.of(handshakeTimeout))
	<-lazy.closed
}

// TestCrowd: connections beyond those of the viewers and a few spare ones are closed.
func TestCrowd(t *testing.T) {
	p := startServer(t, func(s *Settings) { s.Viewers = 1 })
	for range 1 + spareConnections + 1 {
		c, err := net.Dial("tcp", p.listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	<-p.listener.ended
}

// TestIdle: the view of a viewer who presses no key ends.
func TestIdle(t *testing.T) {
	t.Parallel()
	p := startServer(t, nil)
	v := p.watch("xterm", 80, 24)
	v.await(t, "read-only")
	p.clock.pass(p.clock.of(time.Hour))
	v.Wait()
	if out := v.out.String(); !strings.HasSuffix(out, "no key was pressed for 1h0m0s\r\n") {
		t.Errorf("the last line is not why: %q", out[max(0, len(out)-80):])
	}
}

// TestBabel: what a client sends without an end is dropped, and does not fill the memory.
func TestBabel(t *testing.T) {
	t.Parallel()
	p := startServer(t, nil)
	v := p.watch("xterm", 80, 24)
	v.await(t, "read-only")
	for _, babel := range [][2]string{{"\x1b]11;", "\x07"}, {"\x1b[200~", "\x1b[201~"}} {
		v.press(babel[0] + strings.Repeat("q", 1<<20) + babel[1])
	}
	v.press("3")
	v.await(t, "12 runs")
}

// TestEnds: viewers are told that the server has ended.
func TestEnds(t *testing.T) {
	t.Parallel()
	p := startServer(t, nil)
	v := p.watch("xterm", 80, 24)
	v.await(t, "read-only")
	p.end(context.Canceled)
	if err := v.Wait(); err != nil {
		t.Errorf("its end: %v", err)
	}
	if out := v.out.String(); !strings.HasSuffix(out, "drolab share has ended here\r\n") {
		t.Errorf("the last line is not why: %q", out[max(0, len(out)-80):])
	}
}

// TestGone: the place of a viewer who closes the window becomes free.
func TestGone(t *testing.T) {
	t.Parallel()
	p := startServer(t, func(s *Settings) { s.Viewers = 1 })
	v := p.watch("xterm", 80, 24)
	v.await(t, "read-only")
	v.client.Close()
	p.log.await(t, "the connection is gone")
	p.watch("xterm", 80, 24).await(t, "read-only")
}

// TestChangesNothing: a viewer who presses every key and clicks everywhere, on every page, changes
// no file.
func TestChangesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of screens: minutes with the race detector")
	}
	p := startServer(t, nil)
	t.Chdir(t.TempDir())
	const esc = "\x1b[27u" // it begins no other sequence
	before := contents(t, p.runs)
	v := p.watch("xterm-256color", 120, 40)
	v.await(t, "batch loss")
	v.press("?") // the help tells the number of pages
	var help string
	var keys []string
	if !v.out.until(func(string) bool {
		help = strings.Join(v.screen(), "\n")
		keys = regexp.MustCompile(`1 to ([1-9]) `).FindStringSubmatch(help)
		return keys != nil
	}) {
		t.Fatalf("the help does not tell the keys of the pages:\n%s", help)
	}
	for page := byte('1'); page <= keys[1][0]; page++ {
		turn := esc + esc + string(page)
		for key := byte(1); key < 128; key++ {
			if key == 3 || key == 'q' || key == 27 { // they leave, or begin a sequence
				continue
			}
			v.press(turn + " " + string(key) + "y\r")
		}
		for _, key := range []string{"\x1b[3~", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[Z",
			"\x1bOP", "\x1b[200~/etc/passwd\x1b[201~"} {
			v.press(turn + key + "y\r")
		}
		for y := 1; y <= v.h; y += 6 {
			for x := 1; x <= v.w; x += 24 {
				v.press(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<32;%d;%dM\x1b[<0;%d;%dm",
					x, y, x+2, y, x+2, y))
			}
		}
	}
	v.press(esc + esc + "3")
	v.await(t, "12 runs")
	if len(p.asked.List) > 0 {
		t.Errorf("runs were asked: %v", p.asked.List)
	}
	for name, sum := range contents(t, p.runs) {
		if before[name] != sum {
			t.Errorf("%s is another", name)
		}
		delete(before, name)
	}
	if len(before) > 0 {
		t.Errorf("these are gone: %v", before)
	}
	if here := contents(t, "."); len(here) > 1 {
		t.Errorf("files were written: %v", here)
	}
}

// contents returns the checksums of the files of a folder, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			sums[path] = "a folder"
			return err
		}
		b, err := os.ReadFile(path)
		sums[path] = fmt.Sprintf("%x", sha256.Sum256(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// silent opens n connections that send nothing, and returns when the server has closed the given
// number of connections.
func (p *testServer) silent(t *testing.T, n, closed int) {
	t.Helper()
	for range n {
		c, err := net.Dial("tcp", p.listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		<-p.listener.accepted
	}
	for range closed {
		<-p.listener.ended
	}
}

// TestSilentCrowd holds as many connections open as the server allows, and tries more, all without
// a key. A viewer with a key still gets a screen at once and keeps it. No deadline passes.
func TestSilentCrowd(t *testing.T) {
	t.Parallel()
	p := startServer(t, nil)
	const room = 3 + spareConnections
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

// publicKeyOnly is a key that a client can name but cannot sign with.
type publicKeyOnly struct {
	key   gossh.PublicKey
	asked chan struct{} // closed when the server asks for a signature
	over  chan struct{}
}

func (n *publicKeyOnly) PublicKey() gossh.PublicKey { return n.key }

func (n *publicKeyOnly) Sign(io.Reader, []byte) (*gossh.Signature, error) {
	close(n.asked)
	<-n.over
	return nil, errors.New("somebody else's key")
}

// TestNamedKey: naming a listed key, which is no secret, is not enough to count as its holder.
func TestNamedKey(t *testing.T) {
	p := startServer(t, nil)
	n := &publicKeyOnly{p.signer.PublicKey(), make(chan struct{}), make(chan struct{})}
	c, err := net.Dial("tcp", p.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	w, left := <-p.listener.accepted, make(chan struct{})
	go func() {
		defer close(left)
		gossh.NewClientConn(c, "server", &gossh.ClientConfig{
			User:            "anybody",
			Auth:            []gossh.AuthMethod{gossh.PublicKeys(n)},
			HostKeyCallback: gossh.FixedHostKey(p.host),
		})
	}()
	<-n.asked // the server would take that key
	p.silent(t, 3+spareConnections, 1)
	select {
	case <-w.closed:
	default:
		t.Error("who only names a key does not go for others")
	}
	close(n.over)
	<-left
}

// unauthenticatedFrom returns a connection from an address.
func unauthenticatedFrom(address string) *connection {
	return &connection{from: netip.MustParsePrefix(address)}
}

// TestConnectionLimiter: clients without a key, from one address or from many, do not keep out a
// viewer with one.
func TestConnectionLimiter(t *testing.T) {
	const viewers = 3
	const each, all = viewers + spareConnections, mostAddresses * (viewers + spareConnections)
	alice := "192.0.2.1/32"
	t.Run("one address", func(t *testing.T) {
		d, a := &connectionLimiter{limit: viewers + spareConnections}, unauthenticatedFrom(alice)
		d.add(a)
		for i := range 10_000 {
			if goes := d.add(unauthenticatedFrom("198.51.100.1/32")); goes == a {
				t.Fatalf("client %d of another address pushes alice out", i)
			}
		}
		if len(d.unauthenticated) != 1+each {
			t.Errorf("%d unauthenticated, want %v", len(d.unauthenticated), 1+each)
		}
		if !d.authenticate(a) {
			t.Error("alice's key does not let her in")
		}
	})
	t.Run("many addresses", func(t *testing.T) {
		d := &connectionLimiter{limit: viewers + spareConnections}
		for i := range 10 * all {
			d.add(unauthenticatedFrom(fmt.Sprintf("10.0.%d.%d/32", i/256, i%256)))
		}
		if len(d.unauthenticated) != all {
			t.Errorf("%d unauthenticated, want %d", len(d.unauthenticated), all)
		}
		for range 2 { // two colleagues behind one address
			a := unauthenticatedFrom(alice)
			goes := d.add(a)
			if goes == nil {
				t.Fatal("for alice nobody goes")
			}
			if goes.from == a.from {
				t.Errorf("for alice goes %v, of the same address", goes)
			}
			defer func() {
				if !d.authenticate(a) {
					t.Error("alice's key does not let her in")
				}
			}()
		}
	})
	t.Run("keys", func(t *testing.T) {
		d := &connectionLimiter{limit: viewers + spareConnections}
		var in []*connection
		for range each + 1 {
			l := unauthenticatedFrom(alice)
			d.add(l)
			if d.authenticate(l) {
				in = append(in, l)
			}
		}
		if len(in) != each {
			t.Errorf("%d are let in, want %d", len(in), each)
		}
		if d.authenticated != each {
			t.Errorf("%d are counted, want %d", d.authenticated, each)
		}
		for _, l := range in {
			d.release(l)
			d.release(l) // both ends close it
		}
		if d.authenticated != 0 {
			t.Errorf("after all left %d count as authenticated, want none", d.authenticated)
		}
		if n := len(d.unauthenticated); n != 1 {
			t.Errorf("after all left %d others are counted, want 1", n)
		}
	})
}
