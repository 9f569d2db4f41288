package machine

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// TestLinesOfGPUs: lines become figures however the pipe cuts them; words and nonsense become none.
func TestLinesOfGPUs(t *testing.T) {
	gpu := func(i int) string {
		return fmt.Sprintf("%d, GPU-%d, 38, 41000, 81559, 310.25, 61\n", i, i)
	}
	const mig = "0, GPU-0, [N/A], 100, 200, [Unknown Error], [N/A]\r\n"
	const nonsense = "\x1b]0;x\a, \x00, 9e999, -5, NaN, +Inf, 0x1p4\n,,,,,,\n" +
		"x, a, 1, 1, 1, 1, 1\n99999999999999999999, a, 1, 1, 1, 1, 1\n" +
		"No devices were found\n,,\n\n"
	const same = " {38 100} {41000 81559} 310.25 61 "
	for _, c := range []struct {
		name, text string
		pids       []int
		want       string // of each GPU: index, use, memory, power, temperature, the run's memory
	}{
		{"one", gpu(0), nil, "0" + same + "0"},
		{"the run's", gpu(0) + gpu(1) + "GPU-1, 7, 300\nGPU-1, 8, 100\nGPU-0, 9, 1\n",
			[]int{7, 8}, "1" + same + "400; 0" + same + "0"},
		{"MIG", mig + "GPU-0, 7, [N/A]\n", []int{7}, "0 {0 0} {100 200} 0 0 0"},
		{"nonsense", nonsense + gpu(3), []int{7}, "3" + same + "0"},
		{"several", gpu(2) + gpu(0) + gpu(1), nil,
			"0" + same + "0; 1" + same + "0; 2" + same + "0"},
	} {
		g := &gpus{}
		g.read(t.Context(), iotest.OneByteReader(strings.NewReader(c.text)))
		var got []string
		for _, d := range g.list(time.Now(), c.pids) {
			memory := Part{d.Memory.Used / mebi, d.Memory.Of / mebi}
			got = append(got, fmt.Sprint(d.Index, d.Use, memory, d.Power, d.Temperature,
				d.Run/mebi))
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
		if old := g.list(time.Now().Add(2*mostAge), c.pids); len(old) > 0 {
			t.Errorf("%s: GPUs that were not told of for long: %v", c.name, old)
		}
	}
}

// TestTooMuchOfGPUs: a line without an end is not kept, and of very many GPUs the first ones are.
func TestTooMuchOfGPUs(t *testing.T) {
	long := strings.NewReader(strings.Repeat("x", 1<<20))
	(&gpus{}).read(t.Context(), long)
	if taken := long.Size() - int64(long.Len()); taken > 2*mostLine {
		t.Errorf("%d bytes of a line were read", taken)
	}
	g := &gpus{}
	for i := range 2 * mostGPUs {
		g.Store([2]string{fmt.Sprint(i)}, row{strings.Split(fmt.Sprint(i, ",u,1,1,1,1,1"), ","),
			time.Now()})
	}
	if n := len(g.list(time.Now(), nil)); n > mostGPUs {
		t.Errorf("%d GPUs", n)
	}
}

// minute returns samples of a run on one of two GPUs.
func minute(n int, change func(*Sample)) (list []Sample) {
	for i := range n {
		s := Sample{Time: time.Unix(int64(10*i), 0), CPU: Part{9, 16},
			Memory: Part{10 << 30, 64 << 30}, Disk: Part{500 << 30, 1000 << 30},
			GPUs: []GPU{{Index: 1, Use: Part{38, 100}, Memory: Part{2 << 30, 80 << 30},
				Run: 1 << 30}, {Index: 0}},
			Run: Processes{Memory: 3 << 30, CPU: 8.5, Workers: 9, Busy: 8}}
		change(&s)
		list = append(list, s)
	}
	return list
}

// TestAdvice: the sentence names what matters, and is silent where nothing does or too little is
// known.
func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		name   string
		n      int
		change func(*Sample)
		want   string
	}{
		{"data", 6, func(*Sample) {}, "GPU 1 waits for data: 38 % used, 8 workers busy"},
		{"a short time", 5, func(*Sample) {}, ""},
		{"no samples", 0, func(*Sample) {}, ""},
		{"a busy GPU", 6, func(s *Sample) { s.GPUs[0].Use.Used = 50 }, ""},
		{"MIG", 6, func(s *Sample) { s.GPUs[0].Use = Part{} }, ""},
		{"the GPU of others", 6, func(s *Sample) { s.GPUs[0].Run = 0 }, ""},
		{"idle workers", 6, func(s *Sample) { s.Run.Busy = 1 },
			"GPU 1 waits for the processor: 38 % used, the run uses 8.5 cores"},
		{"a pause", 6, func(s *Sample) { s.Run = Processes{Workers: 9, CPU: .1} }, ""},
		{"gone", 9, func(s *Sample) {
			if s.Time.Unix() == 80 {
				s.GPUs = nil
			}
		}, ""},
		{"memory", 6, func(s *Sample) { s.Memory.Used = s.Memory.Of - 1<<29 },
			"the memory is nearly full: 0.5 GiB free"},
		{"disk", 6, func(s *Sample) { s.Disk.Used = s.Disk.Of - 1<<29 },
			"the disk of the runs is nearly full: 0.5 GiB free"},
		{"nothing known", 6, func(s *Sample) { *s = Sample{} }, ""},
	} {
		if got := Advice(minute(c.n, c.change)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

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
			s.GPUs = []GPU{{3, Part{x, x}, Part{x, x}, x, x, x}, {Index: -1}, {Index: 1 << 40}}
		})
		count := func(past []float64) string { return fmt.Sprint(len(past)) }
		for _, l := range Lines(list, count) {
			if len(l.Text) > 100 || !strings.HasSuffix(l.Text, " 8") {
				t.Errorf("%v: %s %q", x, l.Part, l.Text)
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
