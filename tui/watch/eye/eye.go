// Package eye is the adversary's eye: the training samples that the worst case of the last
// evaluation weighs most, as pictures, as rows of a table, or by number alone. The log names
// them; Gallery fetches what is drawn of them from the run's data, in the background.
//
// Whoever looks from elsewhere has no data: Gallery fetches nothing for a guest.
package eye

import (
	"fmt"
	"maps"
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

// Seat is a place for a picture, and the sample that hangs there.
type Seat struct {
	runner.Heavy
	Part float64 // of the largest ratio that its evaluation names
}

// Gallery hangs the samples of one evaluation of a run at a time, and keeps what was fetched of
// them. It changes seldom: a new picture is as many bytes as all else sends in a second.
type Gallery struct {
	Config  *lab.Config
	run     string
	hung    *runner.EvalEvent // nil before the first
	since   time.Time         // it hangs
	seats   []Seat
	due     bool // a seat has not yet what the evaluation has
	changed int  // pictures, since the evaluation hangs
	samples map[int]*Sample
	data    *data.Dataset // the run's, where they stay on the disk
	problem string        // of the last fetch; "" without
	busy    bool
	rest    time.Time // nothing is fetched before
}

const (
	mostKept = 512 // samples: below two megabytes of small pictures
	mostSide = 32  // pixels of a picture
	// Opening data that do not stay on the disk may take seconds. So fetching takes one part in so
	// many of the time.
	restFor = 30
	// telling is how many columns are told of a row.
	telling = 6
)

// Fetched brings the samples of an evaluation that were missing.
type Fetched struct {
	run     string
	eval    *runner.EvalEvent
	samples map[int]*Sample
	data    *data.Dataset
	problem string
	took    time.Duration
}

// Next says that a seat is to change: the gallery is drawn anew.
type Next struct{}

// Get is a sample of a run; nil where it is not there, with the reason if there is one.
func (g *Gallery) Get(run string, index int) (*Sample, string) {
	if g.run != run {
		return nil, ""
	}
	return g.samples[index], g.problem
}

// Hung is the evaluation of a run whose samples hang; nil for none.
func (g *Gallery) Hung(run string) *runner.EvalEvent {
	if g.run != run {
		return nil
	}
	return g.hung
}

// Seats are the heaviest n of the samples, each where it hung before, and the others in the places
// that are free. If not all change at once, seats beside each other do, and the others at the Next:
// a terminal is sent all that lies between two that change.
func (g *Gallery) Seats(list []runner.Heavy, n int, all bool) []Seat {
	list = list[:min(n, len(list))]
	fresh := len(g.seats) != len(list)
	if fresh {
		all = true
		g.seats = g.seats[:min(len(g.seats), len(list))]
		for len(g.seats) < len(list) {
			g.seats = append(g.seats, Seat{Heavy: runner.Heavy{Index: -1}})
		}
	}
	next, rest := make([]*runner.Heavy, len(list)), []*runner.Heavy{}
	for k := range list {
		of := func(s Seat) bool { return s.Index == list[k].Index }
		if i := slices.IndexFunc(g.seats, of); i >= 0 && next[i] == nil {
			next[i] = &list[k]
		} else {
			rest = append(rest, &list[k])
		}
	}
	g.due = false
	begun, over, pictures := false, false, false // of the seats that change now; these are new ones
	for i, s := range g.seats {
		if next[i] == nil {
			next[i], rest = rest[0], rest[1:]
		}
		seat := Seat{Heavy: *next[i]}
		if top := list[0].Ratio; top > 0 {
			seat.Part = seat.Ratio / top
		}
		picture := seat.Index != s.Index
		switch {
		case seat == s:
			over = begun
			continue
		case !all && (over || begun && picture != pictures):
			g.due = true
			return g.seats
		case picture && !fresh:
			g.changed++
		}
		g.seats[i], begun, pictures = seat, true, picture
	}
	return g.seats
}

// Changed is how many pictures hang since the evaluation does.
func (g *Gallery) Changed() int { return g.changed }

// Look fetches what is missing of an evaluation's samples, so that they hang, if it is time: the
// last ones hang for a turn at least.
func (g *Gallery) Look(
	now time.Time, turn time.Duration, m *runner.Meta, e *runner.EvalEvent,
) tea.Cmd {
	if g.busy || len(e.Heaviest) == 0 {
		return nil
	}
	if g.due && g.run == m.ID {
		return func() tea.Msg { return Next{} }
	}
	if g.run != m.ID {
		if g.data != nil {
			g.data.Close()
		}
		*g = Gallery{Config: g.Config, run: m.ID, samples: map[int]*Sample{}}
	}
	if g.hung != nil && (g.hung.Step == e.Step || now.Before(g.since.Add(turn))) {
		return nil
	}
	var missing []runner.Heavy
	for _, h := range e.Heaviest {
		if g.samples[h.Index] == nil && !g.Config.Guest && g.problem == "" {
			missing = append(missing, h)
		}
	}
	if len(missing) > 0 && now.Before(g.rest) {
		return nil
	}
	g.busy = true
	meta, dir, open := *m, g.Config.DataDir, g.data
	return func() tea.Msg {
		f := Fetched{run: meta.ID, eval: e, data: open}
		if len(missing) > 0 {
			f.fetch(&meta, dir, missing)
		}
		return f
	}
}

// Take hangs what was fetched.
func (g *Gallery) Take(now time.Time, f Fetched) {
	g.busy = false
	if f.run != g.run {
		return
	}
	g.hung, g.since, g.changed, g.data = f.eval, now, 0, f.data
	if f.took > 0 {
		g.problem, g.rest = f.problem, now.Add(restFor*f.took)
	}
	if len(g.samples) > mostKept {
		maps.DeleteFunc(g.samples, func(i int, _ *Sample) bool {
			return !slices.ContainsFunc(f.eval.Heaviest,
				func(h runner.Heavy) bool { return h.Index == i })
		})
	}
	maps.Copy(g.samples, f.samples)
}

// fetch reads some samples of the run's data. Those that do not stay on the disk are opened for as
// long as it takes.
func (f *Fetched) fetch(m *runner.Meta, dir string, wanted []runner.Heavy) {
	began := time.Now()
	f.samples = map[int]*Sample{}
	err := runner.Unfaulted(func() (err error) {
		if f.data == nil {
			defer debug.FreeOSMemory() // of the data, which may be most of what the machine has
			if f.data, err = m.Glance(dir); err != nil {
				return err
			}
		}
		f.read(f.data, wanted)
		if f.data.Checksum == "" {
			return nil
		}
		d := f.data
		f.data = nil
		return d.Close()
	})
	if err != nil {
		f.problem = cell.OneLine(err.Error())
	}
	f.took = time.Since(began)
}

func (f *Fetched) read(d *data.Dataset, wanted []runner.Heavy) {
	x := make([]float32, d.Shape.Len())
	for _, h := range wanted {
		i := h.Index
		switch {
		case i >= d.Train.Len():
			f.problem = fmt.Sprintf("the data have no training sample %d", i)
			return
		case d.Train.Label(i) != h.Label:
			f.problem = fmt.Sprintf("training sample %d has another class now", i)
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
