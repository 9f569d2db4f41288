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
