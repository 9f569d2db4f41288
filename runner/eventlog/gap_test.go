package eventlog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/disk"
)

// story returns the lines of the log of a run that was evaluated at the steps 2, 4 and 6, each with
// its newline: the head, then the events 1 to 10.
func story(t *testing.T) (lines [][]byte) {
	t.Helper()
	lines = [][]byte{HeadLine(disk.Owner{ID: "a"})}
	for i, e := range []runner.Event{status(0, runner.Queued), status(0, runner.Running),
		stepEvent(1), evalEvent(2), stepEvent(3), evalEvent(4), stepEvent(5), evalEvent(6),
		stepEvent(7), status(7, runner.Done)} {
		e.Header().Seq = int64(i + 1)
		b, err := runner.EncodeEvent(e)
		must(t, err)
		lines = append(lines, append(disk.SealLine(b), '\n'))
	}
	return lines
}

func changeDigit(line []byte) []byte { return bytes.Replace(line, []byte("0.7"), []byte("0.1"), 1) }

// TestGap: whoever folds a log knows from which line on a part is missing, and takes no event
// before a gap for the newest one, whether the log is read forwards or backwards.
func TestGap(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(lines [][]byte) [][]byte
		line int    // of the gap; 0: there is none
		says string // of the gap
		step int64  // of the newest step
		eval int64  // step of the newest evaluation; 0: not known
	}{
		"whole": {func(l [][]byte) [][]byte { return l }, 0, "", 7, 6},
		"last evaluation changed": {func(l [][]byte) [][]byte {
			l[8] = changeDigit(l[8])
			return l
		}, 9, "line 9 checksum differs", 7, 0},
		"earlier evaluation changed": {func(l [][]byte) [][]byte {
			l[6] = changeDigit(l[6])
			return l
		}, 7, "line 7 checksum differs", 7, 6},
		"zeros in the middle": {func(l [][]byte) [][]byte {
			clear(l[6])
			clear(l[7][:20])
			return l
		}, 7, "line 7 ", 7, 6},
		"zeros before the end": {func(l [][]byte) [][]byte {
			clear(l[8])
			clear(l[9][:20])
			return l
		}, 9, "line 9 ", 0, 0},
		"a line is missing": {func(l [][]byte) [][]byte { return slices.Delete(l, 8, 9) },
			9, "line 9 follows a missing line", 7, 0},
		"a line is cut": {func(l [][]byte) [][]byte {
			l[8] = append(l[8][:len(l[8])/2], '\n')
			return l
		}, 9, "line 9 ", 7, 0},
		"the first gap is named": {func(l [][]byte) [][]byte {
			l[4], l[8] = changeDigit(l[4]), changeDigit(l[8])
			return l
		}, 5, "line 5 ", 7, 0},
		"the last line is torn": {func(l [][]byte) [][]byte {
			l[10] = l[10][:20]
			return l
		}, 0, "", 7, 6},
	} {
		t.Run(name, func(t *testing.T) {
			log := slices.Concat(c.harm(story(t))...)
			tail := newTail(t, log)
			tail.Passed = &PassedOver{}
			forward, err := ReadHistory(tail, nil)
			must(t, err)
			end, err := ReadEnd(in(t, filepath.Dir(tail.Path)), &PassedOver{},
				func(*End) bool { return false })
			must(t, err)
			ways := map[string]*History{"forwards": forward, "backwards": &end.History}
			for way, h := range ways {
				line, says := 0, ""
				if h.Gap != nil {
					line, says = h.Gap.Line, h.Gap.Error()
				}
				if line != c.line || !strings.Contains(says, c.says) {
					t.Errorf("%s: line %d, %q, want line %d, %q", way, line, says, c.line, c.says)
				}
				var step, eval int64
				if h.Last != nil {
					step = h.Last.Step
				}
				if h.Eval != nil {
					eval = h.Eval.Step
				}
				if step != c.step || eval != c.eval {
					t.Errorf("%s: newest step %d, evaluation %d, want %d, %d", way, step, eval,
						c.step, c.eval)
				}
			}
			_, passed := tail.Passed.First()
			if (passed != nil) != (c.line > 0) {
				t.Errorf("passed over: %v, want something: %v", passed, c.line > 0)
			}
		})
	}
}

// TestGapsAreCoalesced: however many lines in a row are lost, one event says so.
func TestGapsAreCoalesced(t *testing.T) {
	lines := story(t)
	log := slices.Concat(slices.Concat(lines[:5]...), bytes.Repeat([]byte("x\n"), 100_000),
		slices.Concat(lines[5:]...))
	gaps := 0
	tail := newTail(t, log)
	_, err := ReadHistory(tail, func(e runner.Event) {
		if _, gap := e.(*GapEvent); gap {
			gaps++
		}
	})
	must(t, err)
	if gaps != 1 || tail.Skipped() != 100_000 {
		t.Errorf("%d gaps, %d skipped, want 1 and 100000", gaps, tail.Skipped())
	}
}

// TestZerosThatArrive: bytes that are zeros until a network disk has them are a gap meanwhile. Once
// they are there the log has to be read again, and then tells everything.
func TestZerosThatArrive(t *testing.T) {
	log := slices.Concat(story(t)...)
	holed := bytes.Clone(log)
	clear(holed[600:900])
	tail := newTail(t, holed[:1200])
	h, err := ReadHistory(tail, nil)
	must(t, err)
	if h.Gap == nil {
		t.Fatal("no gap")
	}
	write(t, holed, tail.Path) // it grew, and the zeros are still there
	for {
		events, err := tail.Read()
		must(t, err)
		if len(events) == 0 {
			break
		}
	}
	arriving := bytes.Clone(log)
	clear(arriving[700:900])
	for _, text := range [][]byte{arriving, log} {
		write(t, text, tail.Path)
		if _, err := tail.Read(); !errors.Is(err, ErrChanged) {
			t.Fatalf("bytes came: %v, want %v", err, ErrChanged)
		}
		tail = &Tail{Path: tail.Path}
		if h, err = ReadHistory(tail, nil); err != nil {
			t.Fatal(err)
		}
	}
	if h.Gap != nil {
		t.Errorf("gap %v, want none", h.Gap)
	}
	if h.Eval.Step != 6 || h.Status != runner.Done {
		t.Errorf("evaluated at step %d, %s, want 6, %s", h.Eval.Step, h.Status, runner.Done)
	}
}

// TestGapHasNoIndex: the index of a log with lost lines is not kept, since it would hide them.
func TestGapHasNoIndex(t *testing.T) {
	for name, harm := range map[string]func([]byte) []byte{
		"whole": bytes.Clone, "changed": changeDigit} {
		tail := newTail(t, harm(slices.Concat(story(t)...)))
		folder := in(t, filepath.Dir(tail.Path))
		MakeIndex(folder, 0)
		_, err := os.Stat(folder.Join(IndexName))
		if kept := err == nil; kept != (name == "whole") {
			t.Errorf("%s: an index is kept: %t (%v)", name, kept, err)
		}
	}
}

// TestZerosAtTheEnd: a block of zeros at the end of a log is not there yet. It is neither a gap nor
// a change, and once it has arrived, reading goes on behind it.
func TestZerosAtTheEnd(t *testing.T) {
	log := slices.Concat(story(t)...)
	next := bytes.IndexByte(log[600:], '\n') + 601 // the beginning of a line
	for _, from := range []int{600, next} {
		arriving := bytes.Clone(log)
		clear(arriving[from:])
		tail := newTail(t, arriving)
		h, err := ReadHistory(tail, nil)
		must(t, err)
		if h.Gap != nil || h.Status == runner.Done {
			t.Fatalf("zeros from byte %d on: gap %v, %s, want no gap and a run that goes on", from,
				h.Gap, h.Status)
		}
		half := bytes.Clone(log)
		clear(half[from+150:])
		for _, text := range [][]byte{half, log} {
			write(t, text, tail.Path)
			events, err := tail.Read()
			must(t, err)
			for _, e := range events {
				h.Add(e)
			}
		}
		if h.Gap != nil || h.Status != runner.Done {
			t.Errorf("zeros from byte %d on, which came: gap %v, %s, want none, %s", from, h.Gap,
				h.Status, runner.Done)
		}
	}
}
