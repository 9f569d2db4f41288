package machine

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// gpus keeps the last lines of nvidia-smi, by their first two fields, and the names of GPUs, by
// their numbers.
type gpus struct{ sync.Map }

// row is a line of either query, which told it at a moment.
type row struct {
	fields []string
	at     time.Time
}

// The queries of nvidia-smi, with the numbers of their fields.
const (
	gpuQuery = "--query-gpu=index,uuid,utilization.gpu,memory.used,memory.total,power.draw," +
		"temperature.gpu"
	appQuery             = "--query-compute-apps=gpu_uuid,pid,used_memory"
	nameQuery            = "--query-gpu=index,name"
	format               = "--format=csv,noheader,nounits"
	gpuFields, appFields = 7, 3
	nameFields           = 2
)

// Bounds of what nvidia-smi prints. So there are at most 2500 rows of each query.
const (
	mostAge   = 25 * time.Second      // how long a row counts: two more are due meanwhile
	linePause = 10 * time.Millisecond // after a line: a program that prints without end waits
	mostLine  = 1 << 10               // bytes
	mostGPUs  = 64
	mebi      = 1 << 20
)

// WatchGPUs watches the GPUs of the machine until ctx is cancelled. It returns a function that
// tells how they are, with their names.
func WatchGPUs(ctx context.Context) func() []GPU {
	g := &gpus{}
	path, err := exec.LookPath("nvidia-smi")
	if err == nil {
		go g.ask(ctx, exec.CommandContext(ctx, path, nameQuery, format))
		go g.ask(ctx, exec.CommandContext(ctx, path, gpuQuery, format, "-l", "10"))
	}
	return func() []GPU {
		list := g.list(time.Now(), nil)
		for i := range list {
			name, _ := g.Load(list[i].Index)
			list[i].Name, _ = name.(string)
		}
		return list
	}
}

// startGPUs starts nvidia-smi for both queries, if it is there.
func startGPUs(ctx context.Context) *gpus {
	g := &gpus{}
	path, err := exec.LookPath("nvidia-smi") // a relative path is an error, too
	for _, query := range []string{gpuQuery, appQuery} {
		if err == nil {
			go g.ask(ctx, exec.CommandContext(ctx, path, query, format, "-l", "10"))
		}
	}
	return g
}

// ask takes what a program prints until it ends, or until a line is too long. However it ends, its
// rows are forgotten once they are old.
func (g *gpus) ask(ctx context.Context, smi *exec.Cmd) {
	smi.WaitDelay = time.Second
	out, err := smi.StdoutPipe()
	if err != nil || smi.Start() != nil {
		return
	}
	g.read(ctx, out)
	out.Close() // a program that prints on ends
	smi.Wait()
}

// read takes lines until ctx is cancelled, and passes over those of another form.
func (g *gpus) read(ctx context.Context, from io.Reader) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, mostLine)
	for ctx.Err() == nil && lines.Scan() {
		f := strings.Split(lines.Text(), ", ")
		switch len(f) {
		case gpuFields, appFields:
			g.Store([2]string(f), row{f, time.Now()})
		case nameFields:
			if index, err := strconv.Atoi(f[0]); err == nil && index >= 0 && index < mostGPUs {
				g.Store(index, f[1])
			}
		}
		time.Sleep(linePause)
	}
}

// list returns the GPUs, with the memory that the processes of a run have on each. The GPUs of the
// run come first.
func (g *gpus) list(now time.Time, pids []int) (list []GPU) {
	for key, value := range g.Range {
		of, ok := value.(row)
		if !ok {
			continue // a name
		}
		f := of.fields
		if now.Sub(of.at) > mostAge {
			g.Delete(key)
		} else if index, err := strconv.Atoi(f[0]); len(f) == gpuFields && err == nil {
			list = append(list, GPU{index, part(f[2], "100", 1), part(f[3], f[4], mebi),
				part(f[5], "1e4", 1).Used, part(f[6], "1e3", 1).Used, g.of(f[1], pids), ""})
		}
	}
	slices.SortFunc(list, func(a, b GPU) int {
		return cmp.Or(cmp.Compare(min(1, b.Run), min(1, a.Run)), cmp.Compare(a.Index, b.Index))
	})
	return list[:min(len(list), mostGPUs)]
}

// of returns the memory that some processes have on a GPU.
func (g *gpus) of(uuid string, pids []int) (bytes float64) {
	for _, pid := range pids {
		if app, ok := g.Load([2]string{uuid, strconv.Itoa(pid)}); ok {
			bytes += part(app.(row).fields[2], "1e9", mebi).Used
		}
	}
	return bytes
}

// part reads a part in a unit. nvidia-smi has words, such as [N/A], for what a GPU does not have.
func part(used, of string, unit float64) Part {
	x, err := strconv.ParseFloat(used, 64)
	most, errMost := strconv.ParseFloat(of, 64)
	if err != nil || errMost != nil || !(x >= 0 && x <= most && most <= 1e9) {
		return Part{}
	}
	return Part{x * unit, most * unit}
}
