package box

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"drolab/dro/testsize"
	"drolab/runner/record"
)

// openMirror returns the mirror of the box gpu1 in the folder dir.
func openMirror(t *testing.T, dir string) *record.Mirror {
	t.Helper()
	m, err := record.OpenMirror(dir, "gpu1")
	must(t, err)
	t.Cleanup(func() { m.Close() }) // a second Close only returns an error
	return m
}

// wantSame checks that a mirror lists what a folder of runs lists, and that it has these logs.
func wantSame(t *testing.T, when, runsDir, mirror string, wanted []string) {
	t.Helper()
	if diff := cmp.Diff(list(t, runsDir), list(t, mirror)); diff != "" {
		t.Fatalf("%s: the mirror lists (+) other runs than the box (-): %s", when, diff)
	}
	theirs, ours := logs(t, runsDir), logs(t, mirror)
	for _, id := range wanted {
		if diff := cmp.Diff(theirs[id], ours[id]); diff != "" {
			t.Fatalf("%s: the log of run %s (+) is not that of the box (-): %s", when, id, diff)
		}
	}
}

// TestMirrorFollows lets a history run on a box. After each change and a look at the runs, the
// mirror lists what the folder there lists, and has the logs that are wanted and those of live
// runs. Some conversations end, and the mirror is opened again.
func TestMirrorFollows(t *testing.T) {
	for seed := range testsize.Pick(uint64(1), uint64(4), uint64(64)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			h := newHistory(t, seed)
			dir := filepath.Join(t.TempDir(), "mirror")
			m := openMirror(t, dir)
			p := newPair(t, h.store.Dir(), m)
			for turn := range 50 {
				what := h.change()
				wanted := []string{"run-1", "run-3"}
				p.near.Want(wanted...)
				p.settle()
				p.lookAtAll()
				for id := range h.live {
					wanted = append(wanted, id)
				}
				when := fmt.Sprintf("turn %d, after %s", turn, what)
				wantSame(t, when, h.store.Dir(), dir, wanted)
				if h.random.IntN(8) == 0 {
					must(t, m.Close())
					for range h.random.IntN(4) {
						when += ", " + h.change()
					}
					m = openMirror(t, dir)
					p = newPair(t, h.store.Dir(), m)
					wantSame(t, when+", in a new conversation", h.store.Dir(), dir, nil)
				}
			}
		})
	}
}

// TestEveryCut ends a conversation after each of its bytes. Whatever the mirror has then, the next
// conversation makes it the same as the box's folder.
func TestEveryCut(t *testing.T) {
	h := newHistory(t, 1)
	for range 30 {
		h.change()
	}
	p := newPair(t, h.store.Dir(), openMirror(t, filepath.Join(t.TempDir(), "mirror")))
	for range 5 { // the log of a live run grows during the conversation
		h.change()
		p.lookAtAll()
	}
	text := p.sent.Bytes()
	step := testsize.Pick(len(text)/5, len(text)/60, 1)
	for cut := 0; cut <= len(text); cut += step {
		dir := filepath.Join(t.TempDir(), "mirror")
		m := openMirror(t, dir)
		near := &conversation{Link: NewLink("gpu1", "", nil), out: newSender(io.Discard)}
		near.mirror = m
		in := newReceiver(bytes.NewReader(text[:cut]))
		for {
			f, err := in.next()
			if err != nil {
				break
			}
			must(t, near.take(f))
		}
		must(t, m.Close())
		m = openMirror(t, dir)
		again := newPair(t, h.store.Dir(), m)
		again.lookAtAll()
		wantSame(t, fmt.Sprintf("cut after byte %d of %d", cut, len(text)), h.store.Dir(), dir, nil)
		must(t, m.Close())
	}
}
