package machine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"drolab/runner/measure"
)

// Row is a part of the machine, with what it did over time.
type Row struct {
	Name    string
	Figures []Figure
}

// Figure is the last figure in words, and every one of them as a part of the most that there can be
// or, where that is unknown, of the most that there was. NaN is a figure that is unknown.
type Figure struct {
	Text string
	Past []float64
	most float64 // 0: unknown
}

// IsGPU reports whether the row is that of a GPU. These come first.
func (r *Row) IsGPU() bool { return strings.HasPrefix(r.Name, "GPU ") }

const gibi = 1 << 30

// Rows returns what some samples say, one after the other, in the words of the last of them.
func Rows(list []Sample) (rows []Row) {
	if len(list) == 0 {
		return nil
	}
	rows = list[len(list)-1].rows()
	for i := range list[:len(list)-1] {
		was := list[i].rows()
		for _, r := range rows {
			k := slices.IndexFunc(was, func(o Row) bool { return o.Name == r.Name })
			for f := range r.Figures {
				past := math.NaN()
				if k >= 0 && f < len(was[k].Figures) {
					past = was[k].Figures[f].Past[0]
				}
				r.Figures[f].Past = slices.Insert(r.Figures[f].Past, i, past)
			}
		}
	}
	for _, r := range rows {
		for f := range r.Figures {
			r.Figures[f].scale()
		}
	}
	return rows
}

// scale brings the past to a scale from 0 to 1.
func (f *Figure) scale() {
	most := f.most
	for _, x := range f.Past {
		if f.most == 0 && x > most {
			most = x
		}
	}
	for i, x := range f.Past {
		f.Past[i] = min(1, x/max(most, math.SmallestNonzeroFloat64))
	}
}

// rows returns what one sample says.
func (s *Sample) rows() (rows []Row) {
	add := func(name string, figures ...Figure) { rows = append(rows, Row{name, figures}) }
	for _, g := range s.GPUs {
		of := []Figure{figure("%.0f %%", g.Use, .01, 1), g.Memory.figure(),
			figure("%.0f W", g.Power, 1, 0), figure("%.0f C", g.Temperature, 1, 100)}
		if g.Run.Applies() {
			of = append(of, figure("run %.1f GiB", g.Run, gibi, g.Memory.Of.Float()))
		}
		add(fmt.Sprint("GPU ", g.Index), of...)
	}
	r := &s.Run
	of := []Figure{figure("%.1f GiB", r.Memory, gibi, 0), figure("%.1f cores", r.CPU, 1, 0)}
	if r.Workers > 0 {
		of = append(of, figure(fmt.Sprintf("%%.0f of %d busy", r.Workers),
			measure.Num(float64(r.Busy)), 1, float64(r.Workers)))
	}
	add("run", of...)
	add("CPU", figure(fmt.Sprintf("%%.1f/%d cores", s.Cores), s.CPU, 1, float64(s.Cores)))
	add("memory", s.Memory.figure())
	add("disk", s.Disk.figure(), figure("read %.1f MB/s", s.Reads, 1e6, 0),
		figure("write %.1f MB/s", s.Writes, 1e6, 0))
	add("network", figure("in %.1f MB/s", s.In, 1e6, 0), figure("out %.1f MB/s", s.Out, 1e6, 0))
	return rows
}

// figure writes a figure in a unit. most is the most that it can be; 0: unknown.
func figure(format string, x measure.Number, unit, most float64) Figure {
	text := "–"
	if x.Finite() {
		text = fmt.Sprintf(format, min(x.Float()/unit, 1e9)) // a file may hold any number
	}
	return Figure{text, []float64{x.Float()}, most}
}

// figure writes a used part.
func (p Part) figure() Figure {
	of := figure("/%.0f GiB", p.Of, gibi, 0)
	f := figure("%.0f", p.Used, gibi, p.Of.Float())
	if f.Text != "–" {
		f.Text += of.Text
	}
	return f
}

// Bounds of what Advice says.
const (
	Recent   = 6   // samples of a minute; with fewer, Advice says nothing of GPUs
	waiting  = 50  // per cent; a GPU that is used less waits
	nearFull = .95 // of memory
)

// Advice returns the one thing that matters in some samples, or "" if nothing does. It says nothing
// of a GPU on which no process of the run is known.
func Advice(list []Sample) string {
	if len(list) == 0 {
		return ""
	}
	s := &list[len(list)-1]
	if m := s.Memory; m.Used.Float() >= nearFull*m.Of.Float() {
		return "memory is nearly full: " + m.figure().Text
	}
	if free := s.Disk.Of.Float() - s.Disk.Used.Float(); free < gibi {
		return fmt.Sprintf("the disk of the runs is nearly full: %.1f GiB free", free/gibi)
	}
	for _, g := range s.GPUs {
		var n, use, busy, workers, cores float64
		for i := range list {
			r, of := &list[i].Run, list[i].useOf(g.Index)
			if of.Applies() && r.CPU.Applies() {
				n, use, busy = n+1, use+100*of.Float(), busy+float64(r.Busy)
				workers, cores = workers+float64(r.Workers), cores+r.CPU.Float()
			}
		}
		switch {
		case n < Recent || use >= waiting*n:
		case busy >= n && 2*busy >= workers:
			return fmt.Sprintf("GPU %d waits for data: %.0f %% used, %.0f workers busy", g.Index,
				use/n, busy/n)
		case cores >= .9*n:
			return fmt.Sprintf("GPU %d waits for the processor: %.0f %% used, the run uses "+
				"%.1f cores", g.Index, use/n, cores/n)
		}
	}
	return ""
}

// useOf returns the use of a GPU on which the run has a process.
func (s *Sample) useOf(index int) (use measure.Number) {
	for _, g := range s.GPUs {
		if g.Index == index && g.Run.Applies() {
			use = g.Use
		}
	}
	return use
}
