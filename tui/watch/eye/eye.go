// Package eye is the adversary's eye: the training samples that the worst case of the last
// evaluation weighs most, as pictures, as rows of a table, or by number alone. The log names
// them; Gallery fetches what is drawn of them from the run's data, in the background.
//
// Whoever looks from elsewhere has no data: Gallery fetches nothing for a guest.
package eye

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/inspect"
	"drolab/tui/cell"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Sample is what is drawn of a training sample.
type Sample struct {
	Picture *inspect.Picture // nil where it is none
	Columns string           // of a table: its telling columns, the most unusual first
}

// Gallery keeps the samples of one run that were fetched.
type Gallery struct {
	Config  *lab.Config
	run     string
	samples map[int]*Sample
	problem string // of the last fetch; "" without
	busy    bool
	rest    time.Time // nothing is fetched before
}

const (
	mostKept = 512 // samples: below two megabytes of small pictures
	mostSide = 32  // pixels of a picture
	// Opening CIFAR-10 takes a second. So fetching takes one part in so many of the time.
	restFor = 30
	// telling is how many columns are told of a row.
	telling = 6
)

// Fetched brings samples of a run.
type Fetched struct {
	run     string
	samples map[int]*Sample
	problem string
	took    time.Duration
}

// Get is a sample of a run; nil where it is not there, with the reason if there is one.
func (g *Gallery) Get(run string, index int) (*Sample, string) {
	if g.run != run {
		return nil, ""
	}
	return g.samples[index], g.problem
}

// Look fetches what is missing of a run's samples, if it is time.
func (g *Gallery) Look(now time.Time, m *runner.Meta, list []runner.Heavy) tea.Cmd {
	if g.Config.Guest || g.busy || len(list) == 0 {
		return nil
	}
	if g.run != m.ID || len(g.samples) > mostKept {
		*g = Gallery{Config: g.Config, run: m.ID, samples: map[int]*Sample{}}
	}
	var missing []int
	for _, h := range list {
		if g.samples[h.Index] == nil {
			missing = append(missing, h.Index)
		}
	}
	if len(missing) == 0 || now.Before(g.rest) || g.problem != "" {
		return nil
	}
	g.busy = true
	meta, dir := *m, g.Config.DataDir
	return func() tea.Msg { return fetch(&meta, dir, missing) }
}

// Take puts what was fetched into the gallery.
func (g *Gallery) Take(now time.Time, f Fetched) {
	g.busy = false
	if f.run != g.run {
		return
	}
	g.problem, g.rest = f.problem, now.Add(restFor*f.took)
	for i, s := range f.samples {
		g.samples[i] = s
	}
}

// fetch opens the run's data for as long as it takes to read some samples.
func fetch(m *runner.Meta, dir string, wanted []int) (f Fetched) {
	began := time.Now()
	f = Fetched{run: m.ID, samples: map[int]*Sample{}}
	d, err := m.OpenFor("", dir)
	if err == nil {
		f.read(d, wanted)
		err = d.Close()
	}
	if err != nil {
		f.problem = cell.OneLine(err.Error())
	}
	debug.FreeOSMemory() // of the data, which may be most of what the machine has
	f.took = time.Since(began)
	return f
}

func (f *Fetched) read(d *data.Dataset, wanted []int) {
	x := make([]float32, d.Shape.Len())
	for _, i := range wanted {
		if i >= d.Train.Len() {
			f.problem = fmt.Sprintf("the data have no training sample %d", i)
			return
		}
		s := &Sample{}
		switch {
		case inspect.Pictured(d.Shape):
			s.Picture = inspect.PictureOf(d.Train, i).Within(mostSide, mostSide)
		case len(d.Encoder.Columns) > 0:
			d.Train.Read(x, i)
			s.Columns = columnsOf(&d.Encoder, x)
		}
		f.samples[i] = s
	}
}

// columnsOf tells the most unusual columns of a row: of numbers those that are furthest from
// the mean, in standard deviations, then categories in the table's order.
func columnsOf(e *data.Encoder, x []float32) string {
	type told struct {
		text string
		far  float64
	}
	var list []told
	values := e.Values(x)
	for i, v := range values {
		c := &e.Columns[i]
		far := 0.0
		if c.Categories == nil && v.Text != "" {
			far = math.Abs(float64(x[0]))
		}
		x = x[len(c.Features()):]
		if v.Text != "" {
			list = append(list, told{v.Column + " " + v.Text, far})
		}
	}
	slices.SortStableFunc(list, func(a, b told) int {
		switch {
		case a.far > b.far:
			return -1
		case a.far < b.far:
			return 1
		}
		return 0
	})
	var words []string
	for _, t := range list[:min(len(list), telling)] {
		words = append(words, cell.OneLine(t.text))
	}
	return strings.Join(words, " · ")
}
