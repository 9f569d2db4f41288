package machine

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// TestLines: every figure has its words and its past on a scale to 1, whatever the samples hold.
func TestLines(t *testing.T) {
	list := minute(3, func(*Sample) {})
	list[0].GPUs, list[1].CPU = nil, Part{}
	picture := func(past []float64) string { return fmt.Sprintf("%.2v", past) }
	text := ""
	for _, l := range Lines(list, picture) {
		text += l.Part + ": " + l.Text + "\n"
	}
	for _, want := range []string{"GPU 1:  38 % [NaN 0.38 0.38]    2/80 GiB [",
		"GPU 0: – [NaN NaN NaN]  – [NaN NaN NaN]  – [NaN NaN NaN]  – [NaN NaN NaN]\n",
		"run: 3.0 GiB [0.047", "8.5 cores [0.53 NaN 0.53]  8 of 9 busy [0.89",
		"GPU 1.0 GiB [NaN 0.013 0.013]\n", "CPU: 9.0/16 cores [0.56 NaN 0.56]\n",
		"memory: 10/64 GiB [0.16", "disk: 500/1000 GiB [0.5 0.5 0.5]\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
	for _, x := range []float64{math.MaxFloat64, -1, 0} {
		list = minute(8, func(s *Sample) {
			s.CPU, s.Memory, s.Disk = Part{x, x}, Part{x, x}, Part{1, x}
			s.GPUs = []GPU{{3, Part{x, x}, Part{x, x}, x, x, x, ""}, {Index: -1}, {Index: 1 << 40}}
		})
		count := func(past []float64) string { return fmt.Sprint(len(past)) }
		for _, l := range Lines(list, count) {
			if len(l.Text) > 100 {
				t.Errorf("numbers %v: the line of %s has %d bytes, want at most 100: %q", x, l.Part,
					len(l.Text), l.Text)
			}
			if !strings.HasSuffix(l.Text, " 8") {
				t.Errorf("numbers %v: the line of %s is %q, want one that ends with all 8 samples",
					x, l.Part, l.Text)
			}
		}
		Advice(list)
	}
	if Lines(nil, picture) != nil {
		t.Error("lines of no samples")
	}
}

// TestFamily: a run has its program's processes and all that they have started, but not drolab, and
// a loop of numbers ends.
func TestFamily(t *testing.T) {
	self := os.Getpid()
	children := func() map[int][]int {
		return map[int][]int{1: {2, self}, 2: {3, 1}, 3: {2, 4}, self: {9}, 7: {8}}
	}
	for roots, want := range map[[2]int]string{{1, 1}: "[1 1 2 3 4]", {1, 7}: "[1 7 2 8 3 4]",
		{7, 5}: "[7 5 8]"} {
		if got := fmt.Sprint(processTree(roots[:], children)); got != want {
			t.Errorf("of %v: %s, want %s", roots, got, want)
		}
	}
	if got := processTree(nil, nil); len(got) > 0 {
		t.Errorf("of no program: %v", got)
	}
}
