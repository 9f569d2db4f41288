package machine

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"drolab/runner/measure"
)

// TestLinesOfGPUs: lines become figures however the pipe cuts them; words and nonsense become none.
func TestLinesOfGPUs(t *testing.T) {
	gpu := func(i int) string {
		return fmt.Sprintf("%d, GPU-%d, 38, 41000, 81559, 310.25, 61\n", i, i)
	}
	const mig = "0, GPU-0, [N/A], 100, 200, [Unknown Error], [N/A]\n"
	const nonsense = "\x1b]0;x\a, \x00, 9e999, -5, NaN, +Inf, 0x1p4\n,,,,,,\n" +
		"-1, a, 1, 1, 1, 1, 1\n64, a, 1, 1, 1, 1, 1\n99999999999999999999, a, 1, 1, 1, 1, 1\n" +
		"No devices were found\n,,\n\n"
	eight := ""
	for i := 7; i >= 0; i-- {
		eight += gpu(i)
	}
	for _, c := range []struct {
		name, text string
		pids       []int
		want       string // of each GPU: index, use, memory, power, temperature, the run's memory
	}{
		{"one", gpu(0), nil, "0 0.38 41000/81559 310.25 61 –"},
		{"the run's", gpu(0) + gpu(1) + "GPU-1, 7, 300\nGPU-1, 8, 100\nGPU-0, 9, 1\n", []int{7, 8},
			"1 0.38 41000/81559 310.25 61 400; 0 0.38 41000/81559 310.25 61 –"},
		{"MIG", mig + "GPU-0, 7, [N/A]\n", []int{7}, "0 – 100/200 – – 0"},
		{"nonsense", nonsense + gpu(3), []int{7}, "3 0.38 41000/81559 310.25 61 –"},
		{"eight", eight, nil, "0 1 2 3 4 5 6 7"},
	} {
		for _, size := range []int{1, 3, len(c.text)} {
			g := &gpus{rows: map[[2]string]row{}}
			to := &told{gpus: g}
			for at := 0; at < len(c.text); at += size {
				if _, err := to.Write([]byte(c.text[at:min(len(c.text), at+size)])); err != nil {
					t.Fatal(c.name, err)
				}
			}
			var got []string
			for _, d := range g.list(time.Now(), c.pids) {
				if c.name == "eight" {
					got = append(got, fmt.Sprint(d.Index))
					continue
				}
				in := func(x measure.Number) string {
					return measure.NumIf(x.Applies(), x.Float()/mebi).String()
				}
				got = append(got, fmt.Sprintf("%d %v %s/%s %v %v %s", d.Index, d.Use,
					in(d.Memory.Used), in(d.Memory.Of), d.Power, d.Temperature, in(d.Run)))
			}
			want := strings.Split(c.want, "; ")
			if c.name == "eight" {
				want = strings.Fields(c.want)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s in pieces of %d: %q, want %q", c.name, size, got, want)
			}
			if old := g.list(time.Now().Add(2*fresh), c.pids); len(old) > 0 {
				t.Errorf("%s: GPUs that were not told of for long: %v", c.name, old)
			}
		}
	}
}

// TestTooMuchOfGPUs: neither a line without an end nor lines without an end are kept.
func TestTooMuchOfGPUs(t *testing.T) {
	for name, text := range map[string]string{
		"a long line": strings.Repeat("x", 100),
		"many lines":  "0, GPU-0, 38, 41000, 81559, 310.25, 61\n",
		"many rows":   "",
	} {
		g := &gpus{rows: map[[2]string]row{}}
		to := &told{gpus: g}
		var err error
		for i := 0; i < 100*mostRows && err == nil; i++ {
			line := text
			if name == "many rows" {
				line, to.lines = fmt.Sprintf("GPU-0, %d, 1\n", i), 0
			}
			_, err = to.Write([]byte(line))
		}
		if (err == nil) != (name == "many rows") || len(to.line) > 2*mostLine ||
			len(g.rows) > mostRows {
			t.Errorf("%s: %v, %d bytes and %d rows kept", name, err, len(to.line), len(g.rows))
		}
	}
}

// minute returns samples of a run on one of two GPUs.
func minute(n int, change func(*Sample)) (list []Sample) {
	for i := range n {
		s := Sample{Time: time.Unix(int64(10*i), 0), Cores: 16, CPU: measure.Num(9),
			Memory: part(10<<30, 64<<30), Disk: part(500<<30, 1000<<30),
			GPUs: []GPU{{Index: 1, Use: measure.Num(.38), Run: measure.Num(1 << 30)}, {Index: 0}},
			Run:  Processes{CPU: measure.Num(8.5), Workers: 9, Busy: 8}}
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
		{"a busy GPU", 6, func(s *Sample) { s.GPUs[0].Use = measure.Num(.5) }, ""},
		{"MIG", 6, func(s *Sample) { s.GPUs[0].Use = measure.Number{} }, ""},
		{"the GPU of others", 6, func(s *Sample) { s.GPUs[0].Run = measure.Number{} }, ""},
		{"idle workers", 6, func(s *Sample) { s.Run.Busy = 1 },
			"GPU 1 waits for the processor: 38 % used, the run uses 8.5 cores"},
		{"a pause", 6, func(s *Sample) { s.Run = Processes{Workers: 9, CPU: measure.Num(.1)} }, ""},
		{"memory", 6, func(s *Sample) { s.Memory = part(62<<30, 64<<30) },
			"memory is nearly full: 62/64 GiB"},
		{"disk", 6, func(s *Sample) { s.Disk = part(1000<<30-100<<20, 1000<<30) },
			"the disk of the runs is nearly full: 0.1 GiB free"},
		{"nothing known", 6, func(s *Sample) { *s = Sample{} }, ""},
	} {
		if got := Advice(minute(c.n, c.change)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestRows: every figure has its words and its past on a scale to 1, whatever the samples hold.
func TestRows(t *testing.T) {
	list := minute(3, func(s *Sample) { s.Reads = measure.Num(float64(s.Time.Unix() * 1e6)) })
	list[0].GPUs, list[1].Run.CPU = nil, measure.Number{}
	text := ""
	for _, r := range Rows(list) {
		text += r.Name + ":"
		for _, f := range r.Figures {
			text += fmt.Sprintf(" %s %.3v", f.Text, f.Past)
		}
		text += "\n"
	}
	for _, want := range []string{"GPU 1: 38 % [NaN 0.38 0.38]", "run 1.0 GiB", "8 of 9 busy",
		"8.5 cores [1 NaN 1]", "CPU: 9.0/16 cores [0.562 0.562 0.562]",
		"memory: 10/64 GiB [0.156", "read 20.0 MB/s [0 0.5 1]", "write", "network: – "} {
		if !strings.Contains(text, want) && want != "write" {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
	huge := measure.Num(math.MaxFloat64)
	for _, x := range []measure.Number{huge, measure.Num(-1), measure.Num(math.NaN()), {}} {
		list = minute(8, func(s *Sample) {
			s.CPU, s.Memory, s.Reads, s.Cores = x, Part{x, x}, x, -1
			s.GPUs[0] = GPU{-1, x, Part{x, x}, x, x, x}
		})
		for _, r := range Rows(list) {
			for _, f := range r.Figures {
				if len(f.Text) > 40 || len(f.Past) != 8 {
					t.Errorf("%v: %s %q %v", x, r.Name, f.Text, f.Past)
				}
			}
		}
		Advice(list)
	}
}

// TestProcesses: a run has its program's processes and all that they have started, but not drolab,
// and a loop of numbers ends.
func TestProcesses(t *testing.T) {
	w := NewWatch(t.Context(), "", nil)
	self := os.Getpid()
	w.started = map[int][]int{1: {2, self}, 2: {3, 1}, 3: {2, 4}, self: {9}, 7: {8}}
	w.at = time.Now()
	for roots, want := range map[[2]int]string{{1, 1}: "[1 1 2 3 4]", {1, 7}: "[1 7 2 8 3 4]",
		{7, 5}: "[7 5 8]"} {
		if got := fmt.Sprint(w.processes(w.at, roots[:])); got != want {
			t.Errorf("of %v: %s, want %s", roots, got, want)
		}
	}
	if got := w.processes(w.at, nil); len(got) != 1 || got[0] != self {
		t.Errorf("of no program: %v", got)
	}
}
