package share

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"drolab/tui/internal/tuitest"
	"drolab/tui/lab"

	"github.com/hinshun/vt10x"
	gossh "golang.org/x/crypto/ssh"
)

// testServer is a server on recorded runs, with everything that a test observes of it or controls.
type testServer struct {
	t        *testing.T
	runs     string
	asked    *tuitest.Asked
	keys     string
	host     gossh.PublicKey
	signer   gossh.Signer // its key is in keys
	clock    *clock
	listener *stallListener
	log      *awaitedText
	end      context.CancelCauseFunc
	result   chan error
}

// startServer starts a server with settings changed by edit. The server ends with the test.
func startServer(t *testing.T, edit func(*Settings)) *testServer {
	t.Helper()
	dir := t.TempDir()
	p := &testServer{t: t, runs: string(tuitest.NewArchive(t).Folder), asked: &tuitest.Asked{},
		keys: filepath.Join(dir, "keys"), signer: newKey(t),
		clock: &clock{changed: make(chan struct{}, 1)}, log: newText(),
		result: make(chan error, 1)}
	line := strings.TrimSpace(string(gossh.MarshalAuthorizedKey(p.signer.PublicKey()))) + " alice\n"
	if err := os.WriteFile(p.keys, []byte("# who may look\n\n"+line), 0o600); err != nil {
		t.Fatal(err)
	}
	pem, _, err := HostKey(filepath.Join(dir, "host"))
	if err != nil {
		t.Fatal(err)
	}
	host, err := gossh.ParsePrivateKey(pem)
	if err != nil {
		t.Fatal(err)
	}
	p.host = host.PublicKey()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.listener = &stallListener{Listener: l, accepted: make(chan *stallConn, 100),
		ended: make(chan struct{}, 100)}
	settings := Settings{Lab: lab.Config{RunsDir: p.runs, Verbs: p.asked}, HostKey: pem,
		AuthorizedKeys: p.keys, Viewers: 3, Idle: time.Hour, Log: p.log, after: p.clock.after}
	if edit != nil {
		edit(&settings)
	}
	limit, stop := context.WithTimeout(context.Background(), 2*tooLong)
	ctx, end := context.WithCancelCause(limit)
	p.end = end
	go func() { p.result <- Serve(ctx, p.listener, settings) }()
	t.Cleanup(func() {
		p.end(nil)
		if err := <-p.result; err != nil {
			t.Errorf("Serve: %v", err)
		}
		stop()
	})
	return p
}

func newKey(t *testing.T) gossh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := gossh.NewSignerFromSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// connect logs in by the given methods of authentication.
func (p *testServer) connect(auth ...gossh.AuthMethod) (*gossh.Client, *stallConn, error) {
	c, err := net.Dial("tcp", p.listener.Addr().String())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { c.Close() })
	conn, channels, requests, err := gossh.NewClientConn(c, "server", &gossh.ClientConfig{
		User: "anybody", Auth: auth, HostKeyCallback: gossh.FixedHostKey(p.host)})
	server := <-p.listener.accepted
	if err != nil {
		return nil, server, err
	}
	return gossh.NewClient(conn, channels, requests), server, nil
}

func (p *testServer) login() (*gossh.Client, *stallConn) {
	p.t.Helper()
	c, server, err := p.connect(gossh.PublicKeys(p.signer))
	if err != nil {
		p.t.Fatal(err)
	}
	return c, server
}

// viewer is a client with a screen.
type viewer struct {
	*gossh.Session
	client *gossh.Client
	conn   *stallConn
	keys   io.Writer
	out    *awaitedText
	errs   *awaitedText
	w, h   int
	since  int // the offset in out at which output in the present size begins
	asked  bool
}

// Write keeps what the server draws, and answers its question for the colour of the background, as
// most terminals do. Who leaves without having answered is waited for.
func (v *viewer) Write(p []byte) (int, error) {
	n, err := v.out.Write(p)
	if !v.asked && strings.Contains(v.out.String(), "\x1b]11;?") {
		v.asked = true
		v.press("\x1b]11;rgb:0000/0000/0000\x1b\\")
	}
	return n, err
}

// watch opens a screen of w by h cells.
func (p *testServer) watch(term string, w, h int, environ ...string) *viewer {
	p.t.Helper()
	c, server := p.login()
	s, err := c.NewSession()
	if err != nil {
		p.t.Fatal(err)
	}
	v := &viewer{Session: s, client: c, conn: server, out: newText(), errs: newText(), w: w, h: h}
	v.Stdout, v.Stderr = v, v.errs
	if v.keys, err = s.StdinPipe(); err != nil {
		p.t.Fatal(err)
	}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		if err := s.Setenv(name, value); err != nil {
			p.t.Fatalf("%s: %v", e, err)
		}
	}
	if err := s.RequestPty(term, h, w, gossh.TerminalModes{}); err != nil {
		p.t.Fatal(err)
	}
	if err := s.Shell(); err != nil {
		p.t.Fatal(err)
	}
	return v
}

func (v *viewer) press(keys string) { io.WriteString(v.keys, keys) }

// question matches the queries that the emulator takes for other sequences.
var question = regexp.MustCompile(`\x1b\[(\?[0-9;]*(\$p|u)|[<=>][0-9;]*[a-z])`)

// screen returns the text on the screen, one string for each row.
func (v *viewer) screen() []string {
	vt := vt10x.New(vt10x.WithSize(v.w, v.h))
	vt.Write(question.ReplaceAll([]byte(v.out.String()[v.since:]), nil))
	return strings.Split(strings.TrimSuffix(vt.String(), "\n"), "\n")
}

// shows reports whether the screen has the right number of lines, the tabs, the last line, and a
// text.
func (v *viewer) shows(text string) bool {
	lines := v.screen()
	return len(lines) == v.h && strings.Contains(lines[0], " 1 ") &&
		strings.HasSuffix(strings.TrimSpace(lines[v.h-1]), "quit") &&
		strings.Contains(strings.Join(lines, "\n"), text)
}

// await waits until the screen shows a text.
func (v *viewer) await(t *testing.T, text string) {
	t.Helper()
	if !v.out.until(func(string) bool { return v.shows(text) }) {
		t.Fatalf("%q is not shown in %dx%d but\n%s", text, v.w, v.h, strings.Join(v.screen(), "\n"))
	}
}

// awaitedText is a text that one goroutine writes and another waits for.
type awaitedText struct {
	mu    sync.Mutex
	b     bytes.Buffer
	grown chan struct{} // holds a value after a change
}

func newText() *awaitedText { return &awaitedText{grown: make(chan struct{}, 1)} }

func (w *awaitedText) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.b.Write(p)
	select {
	case w.grown <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (w *awaitedText) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// tooLong is the time after which a waiting test gives up, even on the slowest machine.
const tooLong = 3 * time.Minute

// until waits until the condition holds, and returns false if that takes too long.
func (w *awaitedText) until(holds func(string) bool) bool {
	late := time.NewTimer(tooLong)
	defer late.Stop()
	for !holds(w.String()) {
		select {
		case <-w.grown:
		case <-late.C:
			return false
		}
	}
	return true
}

// await waits until the text contains want.
func (w *awaitedText) await(t *testing.T, want string) {
	t.Helper()
	if !w.until(func(s string) bool { return strings.Contains(s, want) }) {
		t.Fatalf("%q is not in\n%s", want, w)
	}
}

// stallListener is a listener whose connections can be made to accept no more data.
type stallListener struct {
	net.Listener
	accepted chan *stallConn
	ended    chan struct{} // receives a value for each connection that the server has closed
}

func (l *stallListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	w := &stallConn{Conn: c, closed: make(chan struct{}), ended: l.ended}
	l.accepted <- w
	return w, nil
}

// stallConn is the server's end of a connection.
type stallConn struct {
	net.Conn
	mu      sync.Mutex
	stalled bool
	once    sync.Once
	closed  chan struct{}
	ended   chan<- struct{}
}

// stall makes the connection behave as if its other end had stopped reading.
func (w *stallConn) stall() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stalled = true
}

func (w *stallConn) Write(p []byte) (int, error) {
	w.mu.Lock()
	stalled := w.stalled
	w.mu.Unlock()
	if stalled {
		<-w.closed
		return 0, net.ErrClosed
	}
	return w.Conn.Write(p)
}

func (w *stallConn) Close() error {
	w.once.Do(func() {
		close(w.closed)
		w.ended <- struct{}{}
	})
	return w.Conn.Close()
}

// clock holds the deadlines of the server, which pass when the test says so.
type clock struct {
	mu      sync.Mutex
	pending []*deadline
	changed chan struct{}
}

type deadline struct {
	of   time.Duration
	pass func()
}

func (c *clock) after(of time.Duration, do func()) (stop func()) {
	d := &deadline{of, do}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = append(c.pending, d)
	select {
	case c.changed <- struct{}{}:
	default:
	}
	return func() { c.remove(d) }
}

// remove removes a deadline and reports whether it was pending.
func (c *clock) remove(d *deadline) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.pending {
		if c.pending[i] == d {
			c.pending = append(c.pending[:i:i], c.pending[i+1:]...)
			return true
		}
	}
	return false
}

// of returns the pending deadlines of duration d, and waits until there is one.
func (c *clock) of(d time.Duration) (list []*deadline) {
	for {
		c.mu.Lock()
		for _, p := range c.pending {
			if p.of == d {
				list = append(list, p)
			}
		}
		c.mu.Unlock()
		if len(list) > 0 {
			return list
		}
		<-c.changed
	}
}

// pass lets those of the deadlines pass that are still pending, and returns their number.
func (c *clock) pass(list []*deadline) (n int) {
	for _, d := range list {
		if c.remove(d) {
			d.pass()
			n++
		}
	}
	return n
}
