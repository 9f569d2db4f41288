package panel

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/data"
	"drolab/runner/lists"
	"drolab/tui/cell"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// Sample is a training sample in the form in which it is drawn.
type Sample struct {
	Picture *certificate.Picture // nil where the sample is no picture
	Columns string               // of a row of a table: its telling columns, the most unusual first
}

// slot is a place for a picture, and the sample that is shown there.
type slot struct {
	runner.Heavy
	Part float64 // its ratio as a part of the largest one that its evaluation names
}

// Gallery shows the samples of one evaluation of a run at a time, and keeps the samples that it
// fetched. It changes seldom, because a new picture has as many bytes as all else sends in a
// second.
type Gallery struct {
	Config    *lab.Config
	run       string
	eval      *runner.EvalEvent // nil before the first
	since     time.Time         // the time since which it is shown
	slots     []slot
	due       bool // whether a slot still has to change to show eval
	changed   int  // the number of pictures changed since then
	samples   map[int]*Sample
	data      *data.Dataset // the run's data, if they stay on the disk; else nil
	problem   string        // the problem of the last fetch; "" without one
	busy      bool
	restUntil time.Time // the time before which nothing is fetched
}

const (
	mostKept = 512 // samples: below two megabytes of small pictures
	mostSide = 32  // pixels of a side of a picture
	// Opening data that do not stay on the disk may take seconds. So after a fetch nothing is
	// fetched for restFactor times as long as it took.
	restFactor = 30
	// mostColumns is the number of columns that are shown of a row.
	mostColumns = 6
)

// Fetched is the message that brings the missing samples of an evaluation.
type Fetched struct {
	run      string
	eval     *runner.EvalEvent
	samples  map[int]*Sample
	data     *data.Dataset
	problem  string
	duration time.Duration
}

// Next is the message that a slot is to change, so that the gallery is drawn anew.
type Next struct{}

// Sample returns a sample of a run, nil where it is not there, and the problem of the last fetch.
func (g *Gallery) Sample(run string, index int) (*Sample, string) {
	if g.run != run {
		return nil, ""
	}
	return g.samples[index], g.problem
}

// Evaluation returns the evaluation of a run whose samples are shown; nil for none.
func (g *Gallery) Evaluation(run string) *runner.EvalEvent {
	if g.run != run {
		return nil
	}
	return g.eval
}

// fillSlots returns the heaviest n of the samples: each that was shown before in its place, and the
// others in the places that are free. Without all, only slots beside each other change now, and the
// others at the Next, because a terminal is sent everything that lies between two changes.
func (g *Gallery) fillSlots(list []runner.Heavy, n int, all bool) []slot {
	list = list[:min(n, len(list))]
	fresh := len(g.slots) != len(list)
	if fresh {
		all = true
		g.slots = g.slots[:min(len(g.slots), len(list))]
		for len(g.slots) < len(list) {
			g.slots = append(g.slots, slot{Heavy: runner.Heavy{Index: -1}})
		}
	}
	next, rest := make([]*runner.Heavy, len(list)), []*runner.Heavy{}
	for k := range list {
		of := func(s slot) bool { return s.Index == list[k].Index }
		if i := slices.IndexFunc(g.slots, of); i >= 0 && next[i] == nil {
			next[i] = &list[k]
		} else {
			rest = append(rest, &list[k])
		}
	}
	g.due = false
	begun, over, pictures := false, false, false // of the slots that change now; with new pictures
	for i, s := range g.slots {
		if next[i] == nil {
			next[i], rest = rest[0], rest[1:]
		}
		shown := slot{Heavy: *next[i]}
		if top := list[0].Ratio; top > 0 {
			shown.Part = shown.Ratio / top
		}
		picture := shown.Index != s.Index
		switch {
		case shown == s:
			over = begun
			continue
		case !all && (over || begun && picture != pictures):
			g.due = true
			return g.slots
		case picture && !fresh:
			g.changed++
		}
		g.slots[i], begun, pictures = shown, true, picture
	}
	return g.slots
}

// Changed returns the number of pictures that changed since the evaluation is shown.
func (g *Gallery) Changed() int { return g.changed }

// Fetch fetches the missing samples of an evaluation, so that they can be shown, if it is time:
// the evaluation before is shown for a turn at least.
func (g *Gallery) Fetch(
	now time.Time, turn time.Duration, m *runner.Meta, e *runner.EvalEvent,
) tea.Cmd {
	if g.busy || len(e.Heaviest) == 0 {
		return nil
	}
	if g.due && g.run == m.ID {
		return func() tea.Msg { return Next{} }
	}
	g.turnTo(m.ID)
	if g.eval != nil && (g.eval.Step == e.Step || now.Before(g.since.Add(turn))) {
		return nil
	}
	var missing []runner.Heavy
	for _, h := range e.Heaviest {
		if g.samples[h.Index] == nil && !g.Config.Shared && g.problem == "" {
			missing = append(missing, h)
		}
	}
	if len(missing) > 0 && now.Before(g.restUntil) {
		return nil
	}
	g.busy = true
	ctx, meta, dir, open := g.Config.UntilLeft(), *m, g.Config.DataDir, g.data
	return func() tea.Msg {
		f := Fetched{run: meta.ID, eval: e, data: open}
		if len(missing) > 0 {
			f.fetch(ctx, &meta, dir, missing)
		}
		return f
	}
}

// turnTo forgets the samples of another run.
func (g *Gallery) turnTo(run string) {
	if g.run == run {
		return
	}
	if g.data != nil {
		g.data.Close()
	}
	*g = Gallery{Config: g.Config, run: run, samples: map[int]*Sample{}}
}

// Without says why the data of a run are not at hand. Nothing is fetched of it then, and its
// samples are shown by number.
func (g *Gallery) Without(run, problem string) {
	g.turnTo(run)
	g.problem = problem
}

// Show shows the evaluation of f, and keeps the samples that were fetched.
func (g *Gallery) Show(now time.Time, f Fetched) {
	g.busy = false
	if f.run != g.run {
		return
	}
	g.eval, g.data = f.eval, f.data
	g.since, g.changed = now, 0
	if f.duration > 0 {
		g.problem, g.restUntil = f.problem, now.Add(restFactor*f.duration)
	}
	if len(g.samples) > mostKept {
		maps.DeleteFunc(g.samples, func(i int, _ *Sample) bool {
			return !slices.ContainsFunc(f.eval.Heaviest,
				func(h runner.Heavy) bool { return h.Index == i })
		})
	}
	maps.Copy(g.samples, f.samples)
}

// fetch reads the wanted samples from the run's data. Data that do not stay on the disk are open
// only for as long as that takes.
func (f *Fetched) fetch(ctx context.Context, m *runner.Meta, dir string, wanted []runner.Heavy) {
	began := time.Now()
	f.samples = map[int]*Sample{}
	err := runner.Unfaulted(func() (err error) {
		if f.data == nil {
			defer lab.FreeMemory() // the data may take most of the memory
			if f.data, err = m.Glance(ctx, dir); err != nil {
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
	f.duration = time.Since(began)
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
		case certificate.Pictured(d.Shape):
			s.Picture = certificate.PictureOf(d.Train, i).Within(mostSide, mostSide)
		case len(d.Encoder.Columns) > 0:
			d.Train.Read(x, i)
			s.Columns = columnsOf(&d.Encoder, x)
		}
		f.samples[i] = s
	}
}

// columnsOf writes the most unusual columns of a row: first numbers, those furthest from the mean
// in standard deviations, then categories in the order of the table.
func columnsOf(e *data.Encoder, x []float32) string {
	type told struct {
		text string
		far  float64
	}
	var list []told
	for i, v := range e.Values(x) {
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
	slices.SortStableFunc(list, func(a, b told) int { return cmp.Compare(b.far, a.far) })
	said := func(t told) string { return cell.OneLine(t.text) }
	return strings.Join(lists.Map(list[:min(len(list), mostColumns)], said), " · ")
}
