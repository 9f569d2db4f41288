package box

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drolab/runner"
	"drolab/runner/record"
)

// compressed returns a text as a stream of frames has it.
func compressed(t testing.TB, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.BestCompression)
	must(t, err)
	_, err = z.Write(text)
	must(t, err)
	must(t, z.Close())
	return b.Bytes()
}

// raw returns a frame with these lengths in front of its texts.
func raw(head, body uint32, texts string) []byte {
	var b [8]byte
	binary.BigEndian.PutUint32(b[:4], head)
	binary.BigEndian.PutUint32(b[4:], body)
	return append(b[:], texts...)
}

// TestFramesAreBounded: what is no frame, or one beyond the bounds, is an error, and takes no more
// memory than the bounds.
func TestFramesAreBounded(t *testing.T) {
	for what, c := range map[string]struct {
		text []byte
		want string
	}{
		"nothing":                  {nil, "EOF"},
		"half a length":            {[]byte{0, 0}, "unexpected EOF"},
		"a long head":              {raw(maxHead+1, 0, ""), "expected at most"},
		"a long body":              {raw(2, maxBody+1, "{}"), "expected at most"},
		"the longest lengths":      {raw(math.MaxUint32, math.MaxUint32, "{}"), "expected at most"},
		"half a head":              {raw(20, 0, "{"), "unexpected EOF"},
		"half a body":              {raw(2, 9, "{}x"), "unexpected EOF"},
		"a head that is no object": {raw(2, 0, "[]"), "cannot be read"},
		"a head of another type":   {raw(11, 0, `{"have":"x"}`), "cannot be read"},
	} {
		_, err := newReceiver(bytes.NewReader(compressed(t, c.text))).next()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", what, err, c.want)
		}
	}
	if _, err := newReceiver(strings.NewReader("garbage, and no stream")).next(); err == nil {
		t.Error("garbage is read as a frame, want an error")
	}
}

// TestBanner: what a login prints before the magic line is skipped, and is told where no such line
// comes.
func TestBanner(t *testing.T) {
	for text, c := range map[string]struct{ banner, rest, want string }{
		Magic + "\nrest":                    {"", "rest", ""},
		"Welcome!\r\n" + Magic + "\r\nrest": {"Welcome!\r\n", "rest", ""},
		"Bye\n":                             {"Bye\n", "", "EOF"},
		strings.Repeat("x", maxBanner+9000): {"", "", "bytes came before drolab"},
	} {
		r := bufio.NewReader(strings.NewReader(text))
		banner, err := skipBanner(r)
		rest, _ := io.ReadAll(r)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || c.want == "" && (got != "" || string(rest) != c.rest) {
			t.Errorf("%.40q: %.40q, then %.40q, error %q: want %q and an error with %q",
				text, banner, rest, got, c.rest, c.want)
		}
		if len(banner) > 2*maxBanner {
			t.Errorf("%.40q: a banner of %d bytes is kept, want at most %d",
				text, len(banner), 2*maxBanner)
		}
	}
}

// FuzzLink feeds a link with any frames: it ends with an error or goes on, never panics, writes
// nothing outside of its mirror, and leaves a mirror that can be listed.
func FuzzLink(f *testing.F) {
	f.Add([]byte(`{"versions":{"buckets":[0,300,-1],"runs":{"../x":"1","a":"2"}}}`), []byte("x"))
	f.Add([]byte(`{"file":{"id":"","name":"run.json"}}`), []byte("{}"))
	f.Add([]byte(`{"file":{"id":"a","name":"run.json"}}`), []byte("{}"))
	f.Add([]byte(`{"file":{"id":"../a","name":"../../x"}}`), []byte("{}"))
	f.Add([]byte(`{"file":{"id":"a","name":"verdict"}}`), []byte(`{"summary":{}}`))
	f.Add([]byte(`{"run":"../a"}`), []byte(""))
	f.Add([]byte(`{"lines":{"id":"../a","bytes":-5,"sum":1}}`), []byte("x\n"))
	f.Add([]byte(`{"gone":"../.."}`), []byte(""))
	f.Add([]byte(`{"answer":{"seq":1,"later":true,"reading":{"what":"x","of":-1}}}`), []byte(""))
	f.Add([]byte(`{"hello":{"protocol":2,"format":1}}`), []byte(""))
	f.Add([]byte(`{"pong":{"clock":"2026-01-01T00:00:00Z"},"all":true}`), []byte(""))
	f.Fuzz(func(t *testing.T, head, body []byte) {
		outside := t.TempDir()
		dir := filepath.Join(outside, "mirror")
		m, err := record.OpenMirror(dir, "gpu1")
		must(t, err)
		defer m.Close()
		text := raw(uint32(len(head)), uint32(len(body)), string(head)+string(body))
		in := newReceiver(bytes.NewReader(compressed(t, bytes.Repeat(text, 2))))
		near := &nearConversation{Link: NewLink("gpu1", dir, nil), out: newSender(io.Discard)}
		near.mirror = m
		for {
			f, err := in.next()
			if err != nil || near.take(f) != nil {
				break
			}
		}
		if _, problems := record.List(dir); len(problems) > 0 {
			t.Errorf("%s: the mirror has the problems %v, want none", head, problems)
		}
		entries, err := os.ReadDir(outside)
		must(t, err)
		if len(entries) != 1 {
			t.Errorf("%s: beside the mirror there are %v, want nothing", head, entries)
		}
	})
}

// TestHostileFarSide: a run that the mirror refuses is passed over with one line, and the others
// come.
func TestHostileFarSide(t *testing.T) {
	h := newHistory(t, 1)
	h.create()
	h.create()
	dir := filepath.Join(t.TempDir(), "mirror")
	p := newPair(t, h.store.Dir(), openMirror(t, dir))
	before := list(t, dir)
	for what, frames := range map[string][]*frame{
		"a path": {{File: &filePart{"../up", "run.json"}, body: []byte("{}")},
			{File: &filePart{"../up", verdictName}, body: []byte(`{"summary":{}}`)}, {Run: "../up"}},
		"a file of no run": {{File: &filePart{"run-1", "lock"}, body: []byte("x")},
			{File: &filePart{"run-1", verdictName}, body: []byte(`{"summary":{}}`)},
			{Run: "run-1"}},
		"no verdict": {{Run: "run-1"}},
		"a torn verdict": {{File: &filePart{"run-1", verdictName}, body: []byte("{")},
			{Run: "run-1"}},
		"half a line":       {{Lines: &place{ID: "run-1"}, body: []byte("{")}},
		"lines of no run":   {{Lines: &place{ID: "../run-1"}, body: []byte("{}\n")}},
		"a removal outside": {{Gone: "../" + filepath.Base(dir)}},
	} {
		p.near.state.Problems = nil
		for _, f := range frames {
			if err := p.near.take(f); err != nil {
				t.Errorf("%s: the link ends: %v, want it to go on", what, err)
			}
		}
		problem := strings.Join(p.near.state.Problems, "; ")
		if what != "a removal outside" && problem == "" || strings.ContainsAny(problem, "\n\x1b") {
			t.Errorf("%s: the problem is %q, want one line", what, problem)
		}
	}
	p.near.state.Problems = nil
	if diff := cmp.Diff(before, list(t, dir)); diff != "" {
		t.Errorf("the mirror has changed: %s", diff)
	}
	body := make([]byte, maxBody)
	var err error
	for i := range maxParts/maxBody + 2 {
		big := &frame{File: &filePart{"run-9", fmt.Sprint("file-", i)}, body: body}
		if err = p.near.take(big); err != nil {
			break
		}
	}
	if err == nil {
		t.Errorf("a run with more than %d bytes of files is taken, want an error", maxParts)
	}
}

// TestFarSideRefusesOtherProtocol: a link of another version gets an error, not runs.
func TestFarSideRefusesOtherProtocol(t *testing.T) {
	s := newFarConversation(&FarSide{RunsDir: t.TempDir()}, io.Discard)
	hello := &Hello{Protocol: protocol + 1, Format: runner.Format}
	err := s.answer(t.Context(), &frame{Hello: hello})
	want := fmt.Sprintf("the other side speaks protocol %d", protocol+1)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("another protocol: %v, want an error with %q", err, want)
	}
}

// TestEndlessList: a box whose list of runs would have no end is left, after no more parts than
// there are buckets and no more names than a mirror has.
func TestEndlessList(t *testing.T) {
	many := map[string]string{}
	for i := range record.MostMirrored/3 + 1 {
		many[fmt.Sprint("run-", i)] = "1"
	}
	for what, part := range map[string]func(i int) *versions{
		"empty parts":    func(int) *versions { return &versions{More: true} },
		"a bucket twice": func(int) *versions { return &versions{Buckets: []int{0}, More: true} },
		"each bucket, and on": func(i int) *versions {
			return &versions{Buckets: []int{i}, More: true}
		},
		"many names": func(i int) *versions {
			return &versions{Buckets: []int{i}, Runs: many, More: true}
		},
	} {
		l := NewLink("gpu1", filepath.Join(t.TempDir(), "mirror"), nil)
		near := &nearConversation{Link: l, out: newSender(io.Discard)}
		near.mirror = openMirror(t, l.dir)
		var err error
		for i := 0; i <= bucketCount && err == nil; i++ {
			err = near.take(&frame{Versions: part(i)})
		}
		if err == nil || !strings.Contains(err.Error(), "box gpu1: the list of its runs: ") {
			t.Errorf("%s: %v, want an error about the list", what, err)
		}
	}
}
