package machine

import (
	"testing"
	"time"
)

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
		{"a small group", 6, func(s *Sample) { s.Memory = Part{.6 * gibi, .93 * gibi} },
			"GPU 1 waits for data: 38 % used, 8 workers busy"},
		{"a full small group", 6, func(s *Sample) { s.Memory = Part{.88 * gibi, .93 * gibi} },
			"the memory is nearly full: 0.1 GiB free"},
		{"nothing known", 6, func(s *Sample) { *s = Sample{} }, ""},
	} {
		if got := Advice(minute(c.n, c.change)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
