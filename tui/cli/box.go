package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"drolab/tui/kit"
)

// box says how busy the machine is, as far as its system tells without being asked much: a
// few small files of Linux and, of NVIDIA's GPUs, a program that takes some hundredths of a
// second and so is run once a minute at most. Several interfaces may ask at once.
type box struct {
	mu   sync.Mutex
	root string // of /proc and /sys
	smi  func() ([]byte, error)

	gpu    string
	looked time.Time
}

// smiEvery is how often NVIDIA's program is run.
const smiEvery = time.Minute

func newBox() *box { return &box{root: "/", smi: nvidia} }

// nvidia asks for busy percent and memory, a line a GPU.
func nvidia() ([]byte, error) {
	if _, err := os.Stat("/proc/driver/nvidia/version"); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return exec.CommandContext(ctx, "nvidia-smi", "--query-gpu=utilization.gpu,memory.used,memory.total",
		"--format=csv,noheader,nounits").Output()
}

// line is what is known at a moment; "" is nothing.
func (b *box) line(now time.Time) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var words []string
	if load, ok := b.number("proc/loadavg"); ok {
		words = append(words, fmt.Sprintf("load %.1f of %s", load, kit.Plural(runtime.NumCPU(), "core")))
	}
	if used, total, ok := b.memory(); ok {
		words = append(words, fmt.Sprintf("memory %.1f of %.1f GB", used, total))
	}
	if now.Sub(b.looked) >= smiEvery {
		b.looked, b.gpu = now, b.nvidia()
	}
	for _, gpu := range []string{b.gpu, b.amd()} {
		if gpu != "" {
			words = append(words, gpu)
		}
	}
	return strings.Join(words, " · ")
}

// number is the first number of a file.
func (b *box) number(path string) (float64, bool) {
	text, err := os.ReadFile(filepath.Join(b.root, path))
	if fields := strings.Fields(string(text)); err == nil && len(fields) > 0 {
		x, err := strconv.ParseFloat(fields[0], 64)
		return x, err == nil
	}
	return 0, false
}

// memory is in GB.
func (b *box) memory() (used, total float64, ok bool) {
	text, err := os.ReadFile(filepath.Join(b.root, "proc/meminfo"))
	if err != nil {
		return 0, 0, false
	}
	kB := map[string]float64{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if fields := strings.Fields(value); len(fields) > 0 {
			kB[key], _ = strconv.ParseFloat(fields[0], 64)
		}
	}
	total = kB["MemTotal"] * 1024 / 1e9
	return total - kB["MemAvailable"]*1024/1e9, total, kB["MemTotal"] > 0 && kB["MemAvailable"] > 0
}

func (b *box) nvidia() string {
	out, err := b.smi()
	var list []string
	for line := range strings.Lines(string(out)) {
		var busy, used, total float64
		if n, _ := fmt.Sscanf(line, "%f, %f, %f", &busy, &used, &total); err == nil && n == 3 {
			const mega = 1.048576e-3
			list = append(list, fmt.Sprintf("GPU %.0f %%, %.1f of %.1f GB", busy, used*mega, total*mega))
		}
	}
	return strings.Join(list, ", ")
}

// amd is of the kernel's driver for AMD's GPUs.
func (b *box) amd() string {
	paths, _ := filepath.Glob(filepath.Join(b.root, "sys/class/drm/card*/device/gpu_busy_percent"))
	var list []string
	for _, path := range paths {
		if rel, err := filepath.Rel(b.root, path); err == nil {
			if busy, ok := b.number(rel); ok {
				list = append(list, fmt.Sprintf("GPU %.0f %%", busy))
			}
		}
	}
	return strings.Join(list, ", ")
}
