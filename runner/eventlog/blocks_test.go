package eventlog

import (
	"io"
	"slices"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/measure"
)

// TestIndexAcrossResume checks that events that a resume discards are discarded, even inside a
// block.
func TestIndexAcrossResume(t *testing.T) {
	x := &Index{span: 1000}
	end := int64(0)
	add := func(e runner.Event) { end += 10; x.add(e, end) }
	for step := int64(1); step <= 50; step++ {
		add(stepEvent(step))
	}
	add(&runner.ResumeEvent{Head: head(20)})
	for step := int64(21); step <= 30; step++ {
		add(stepEvent(step))
	}
	var got []int64
	for e := range x.All() {
		got = append(got, e.Event.Header().Step)
	}
	if !slices.Equal(got, []int64{50, 20, 30}) {
		t.Errorf("events at %v, want the steps before the resume, it, and those behind it", got)
	}
}

// TestIndexBounds fills an index with more of everything than it keeps.
func TestIndexBounds(t *testing.T) {
	x := &Index{}
	text := string(make([]byte, 10_000))
	list := make([]measure.Number, 1000)
	for i := range int64(20_000) {
		x.add(&runner.WarningEvent{Head: head(i), Message: text}, 3*i+1)
		x.add(&runner.EvalEvent{Head: head(i), ByGroup: measure.Lists{{Name: "class_loss",
			Numbers: list}},
			Selected: i == 7000}, 3*i+2)
		x.add(stepEvent(i+1), 3*i+3)
	}
	others, numbers, selected := 0, 0, false
	for e := range x.All() {
		switch e := e.Event.(type) {
		case *runner.WarningEvent:
			others++
			if len(e.Message) > maxText {
				t.Fatalf("a text of %d bytes, want at most %d", len(e.Message), maxText)
			}
		case *runner.EvalEvent:
			others++
			numbers += len(e.ByGroup.Named("class_loss"))
			selected = selected || e.Selected
		}
	}
	if n := len(x.blocks); n > MaxBlocks {
		t.Errorf("%d blocks, want at most %d", n, MaxBlocks)
	}
	if others != x.others || others > maxOthers {
		t.Errorf("%d other events, want %d as counted and at most %d", others, x.others, maxOthers)
	}
	if numbers != x.lists || numbers > maxLists {
		t.Errorf("%d numbers in lists, want %d as counted and at most %d", numbers, x.lists,
			maxLists)
	}
	if !selected {
		t.Error("the selected evaluation was left out")
	}
}

func TestBackward(t *testing.T) {
	long := strings.Repeat("z", MaxLine+200_000)
	for _, text := range []string{"", "\n", "a", "a\n", "a\nb", "\n\n", "a\n\nb\n", long,
		"a\n" + long + "\nb\n", strings.Repeat("abcdefg\n", 20_000)} {
		want := strings.Split(text, "\n")
		slices.Reverse(want)
		b := newBackwardReader(strings.NewReader(text), int64(len(text)), 0)
		for i, w := range want {
			got, start, err := b.line()
			must(t, err)
			if len(w) > MaxLine {
				w = ""
				if got != nil {
					t.Errorf("a line of %d bytes was returned", len(got))
				}
			}
			if string(got) != w || got != nil && !strings.HasPrefix(text[start:], w) {
				t.Fatalf("line %d from the end: %.20q at %d, want %.20q", i, got, start, w)
			}
		}
		if _, _, err := b.line(); err != io.EOF {
			t.Errorf("at the start of %.20q: error %v", text, err)
		}
	}
}
