package machine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"drolab/runner/measure"
)

// gpus keeps the last lines of nvidia-smi.
type gpus struct {
	mu   sync.Mutex
	rows map[[2]string]row // by their first two fields
}

// row is a line of either query, which told it at a moment.
type row struct {
	fields []string
	at     time.Time
}

// The queries of nvidia-smi.
const (
	gpuQuery = "--query-gpu=index,uuid,utilization.gpu,memory.used,memory.total,power.draw," +
		"temperature.gpu"
	appQuery = "--query-compute-apps=gpu_uuid,pid,used_memory"
)

const (
	gpuFields, appFields = 7, 3

	fresh    = 25 * time.Second // how long a row counts: two more are due meanwhile
	mostLine = 1 << 10          // bytes of a line
	mostRows = 1 << 10          // of both queries
	mostGPUs = 64
	mebi     = 1 << 20
)

// startGPUs starts nvidia-smi for both queries, if it is there.
func startGPUs(ctx context.Context) *gpus {
	g := &gpus{rows: map[[2]string]row{}}
	path, err := exec.LookPath("nvidia-smi") // a relative path is an error, too
	if err != nil {
		return g
	}
	for _, query := range []string{gpuQuery, appQuery} {
		cmd := exec.CommandContext(ctx, path, query, "--format=csv,noheader,nounits", "-l", "10")
		cmd.Stdout, cmd.WaitDelay = &told{gpus: g}, time.Second
		go cmd.Run() // whatever its outcome, rows that do not come any more are forgotten
	}
	return g
}

// told takes what a query prints.
type told struct {
	*gpus
	line  []byte // so far
	lines int    // since
	since time.Time
}

var errTooMuch = errors.New("prints too much")

// Write implements io.Writer. After an error the program's pipe is closed.
func (t *told) Write(b []byte) (int, error) {
	now := time.Now()
	if now.Sub(t.since) > every/2 {
		t.lines, t.since = 0, now
	}
	t.line = append(t.line, b...)
	for {
		line, rest, ended := bytes.Cut(t.line, []byte("\n"))
		if len(line) > mostLine || t.lines > mostRows {
			return 0, errTooMuch
		}
		if !ended {
			return len(b), nil
		}
		t.take(string(line), now)
		t.line, t.lines = rest, t.lines+1
	}
}

// take takes a line. One that has another form is passed over.
func (g *gpus) take(line string, now time.Time) {
	f := strings.Split(line, ",")
	for i := range f {
		f[i] = strings.TrimSpace(f[i])
	}
	if len(f) != gpuFields && len(f) != appFields {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.rows) >= mostRows {
		clear(g.rows)
	}
	g.rows[[2]string(f)] = row{f, now}
}

// list returns the GPUs, with the memory that the processes of a run have on each. The GPUs of the
// run come first.
func (g *gpus) list(now time.Time, pids []int) (list []GPU) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for key, r := range g.rows {
		f := r.fields
		index, err := strconv.Atoi(f[0])
		if len(f) != gpuFields || now.Sub(r.at) > fresh || err != nil || index < 0 ||
			index >= mostGPUs {
			continue
		}
		d := GPU{Index: index, Use: number(f[2], .01), Memory: Part{number(f[3], mebi),
			number(f[4], mebi)}, Power: number(f[5], 1), Temperature: number(f[6], 1)}
		for _, pid := range pids {
			app, ok := g.rows[[2]string{key[1], strconv.Itoa(pid)}]
			if ok && now.Sub(app.at) <= fresh {
				d.Run = add(add(d.Run, number(app.fields[2], mebi)), measure.Num(0))
			}
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b GPU) int { return cmp.Compare(a.place(), b.place()) })
	return list
}

func (g *GPU) place() int {
	if g.Run.Applies() {
		return g.Index
	}
	return mostGPUs + g.Index
}

// number reads a figure in a unit. nvidia-smi has words, such as [N/A], for a figure that a GPU
// does not have.
func number(field string, unit float64) measure.Number {
	x, err := strconv.ParseFloat(field, 64)
	return measure.NumIf(err == nil && x >= 0 && x <= 1e9, x*unit)
}
