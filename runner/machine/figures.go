package machine

import (
	"fmt"
	"math"
	"slices"
)

// Line is what some samples say of a part of the machine.
type Line struct{ Part, Text string }

// figure is one figure of a part, in words and as a part of the most that there can be. NaN is a
// figure that is unknown.
type figure struct {
	part, name, text string
	value            float64
}

const gibi = 1 << 30

// Lines returns what some samples say, one after the other: the figures of the last of them, each
// with a picture of what it was in all of them.
func Lines(list []Sample, picture func(past []float64) string) (lines []Line) {
	var last []figure
	past := map[string][]float64{}
	for i := range list {
		last = list[i].figures()
		for _, f := range last {
			if past[f.part+f.name] == nil {
				past[f.part+f.name] = slices.Repeat([]float64{math.NaN()}, len(list))
			}
			past[f.part+f.name][i] = f.value
		}
	}
	for _, f := range last {
		text := f.text + " " + picture(past[f.part+f.name])
		if n := len(lines) - 1; n >= 0 && lines[n].Part == f.part {
			lines[n].Text += "  " + text
		} else {
			lines = append(lines, Line{f.part, text})
		}
	}
	return lines
}

// figures returns what one sample says.
func (s *Sample) figures() (list []figure) {
	add := func(part, name string, of Part, unit float64, format string) {
		f := figure{part, name, "–", math.NaN()}
		if of.Of > 0 { // a file may hold any number
			f.text = fmt.Sprintf(format, min(of.Used/unit, 1e9), min(of.Of/unit, 1e9))
			f.value = of.Used / of.Of
		}
		list = append(list, f)
	}
	var onGPUs Part
	for _, g := range s.GPUs {
		if g.Index < 0 || g.Index >= mostGPUs { // as a file may have it
			continue
		}
		name := fmt.Sprint("GPU ", g.Index)
		add(name, "use", g.Use, 1, "%3.0[1]f %%")
		add(name, "memory", g.Memory, gibi, "%3.0f/%.0f GiB")
		// A scale of a kilowatt, and one of 100 °C; none where 0 stands for what is unknown.
		add(name, "power", Part{g.Power, min(1, g.Power) * 1000}, 1, "%4.0[1]f W")
		add(name, "temperature", Part{g.Temperature, min(1, g.Temperature) * 100}, 1, "%3.0[1]f C")
		if g.Run > 0 {
			onGPUs = Part{onGPUs.Used + g.Run, onGPUs.Of + g.Memory.Of}
		}
	}
	r := &s.Run
	add("run", "memory", Part{r.Memory, s.Memory.Of}, gibi, "%.1[1]f GiB")
	add("run", "CPU", Part{r.CPU, s.CPU.Of}, 1, "%.1[1]f cores")
	if r.Workers > 0 {
		add("run", "workers", Part{float64(r.Busy), float64(r.Workers)}, 1, "%.0f of %.0f busy")
	}
	if onGPUs.Of > 0 {
		add("run", "on GPUs", onGPUs, gibi, "GPU %.1[1]f GiB")
	}
	add("CPU", "use", s.CPU, 1, "%.1f/%.0f cores")
	add("memory", "use", s.Memory, gibi, "%.0f/%.0f GiB")
	add("disk", "use", s.Disk, gibi, "%.0f/%.0f GiB")
	return list
}

// Bounds of what Advice says.
const (
	Recent  = 6  // samples of a minute; with fewer, Advice says nothing of GPUs
	waiting = 50 // per cent; a GPU that is used less waits
)

// Advice returns the one thing that matters in some samples, or "" if nothing does. Of the GPUs it
// looks at the first one, and says nothing if no process of the run is known there.
func Advice(list []Sample) string {
	var last Sample
	var n, use, busy, workers, cores float64
	for _, last = range list {
		if g := last.GPUs; len(g) > 0 && g[0].Run > 0 && g[0].Use.Of > 0 {
			n, use, cores = n+1, use+g[0].Use.Used, cores+last.Run.CPU
			busy, workers = busy+float64(last.Run.Busy), workers+float64(last.Run.Workers)
		}
	}
	switch m, d := last.Memory, last.Disk; {
	case m.Of-m.Used < gibi && m.Of > 0:
		return fmt.Sprintf("the memory is nearly full: %.1f GiB free", (m.Of-m.Used)/gibi)
	case d.Of-d.Used < gibi && d.Of > 0:
		return fmt.Sprintf("the disk of the runs is nearly full: %.1f GiB free", (d.Of-d.Used)/gibi)
	case n < Recent || use >= waiting*n || len(last.GPUs) == 0:
		return ""
	case busy >= n && 2*busy >= workers:
		return fmt.Sprintf("GPU %d waits for data: %.0f %% used, %.0f workers busy",
			last.GPUs[0].Index, use/n, busy/n)
	case cores >= .9*n:
		return fmt.Sprintf("GPU %d waits for the processor: %.0f %% used, the run uses %.1f cores",
			last.GPUs[0].Index, use/n, cores/n)
	}
	return ""
}
