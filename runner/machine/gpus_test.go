package machine

import (
	"fmt"
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
