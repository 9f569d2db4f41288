package machine

import (
	"fmt"
	"math"
	"slices"
)

// Line is what some samples say of a part of the machine.
type Line struct{ Part, Text string }

// Figure is one figure of a part of the machine over some samples.
type Figure struct {
	Part, Name string
	Now        string    // of the last sample; "–" where it is unknown
	Bound      string    // the most that there can be; "" where it is unknown
	Past       []float64 // of each sample, as a part of the bound; NaN where it is unknown
	inLine     string    // what a Line says of the last sample
}

const gibi = 1 << 30

// Figures returns the figures of some samples that the last of them has, GPUs first.
func Figures(list []Sample) (last []Figure) {
	past := map[[2]string][]float64{}
	for i := range list {
		last = list[i].figures()
		for _, f := range last {
			of := [2]string{f.Part, f.Name}
			if past[of] == nil {
				past[of] = slices.Repeat([]float64{math.NaN()}, len(list))
			}
			past[of][i] = f.Past[0]
		}
	}
	for i, f := range last {
		last[i].Past = past[[2]string{f.Part, f.Name}]
	}
	return last
}

// Lines returns what some samples say, a line for each part of the machine: the figures of the last
// sample, each with a picture of what it was in all of them.
func Lines(list []Sample, picture func(past []float64) string) (lines []Line) {
	for _, f := range Figures(list) {
		text := f.inLine + " " + picture(f.Past)
		if n := len(lines) - 1; n >= 0 && lines[n].Part == f.Part {
			lines[n].Text += "  " + text
		} else {
			lines = append(lines, Line{f.Part, text})
		}
	}
	return lines
}

// boundText writes the most that there can be: half a core and 0.9 GiB with a decimal, 64 GiB
// without.
func boundText(bound float64) string {
	if bound < 10 && bound != math.Trunc(bound) {
		return fmt.Sprintf("%.1f", bound)
	}
	return fmt.Sprintf("%.0f", bound)
}

// figures returns what one sample says. Past has the figure of this sample alone.
func (s *Sample) figures() (list []Figure) {
	add := func(part, name string, of Part, inLine string, decimals int, unit string) {
		f := Figure{Part: part, Name: name, Now: "–", Past: []float64{math.NaN()}, inLine: "–"}
		if of.Of > 0 { // a file may hold any number
			size := 1.0
			if unit == "GiB" {
				size = gibi
			}
			used, bound := min(of.Used/size, 1e9), min(of.Of/size, 1e9)
			f.Now = fmt.Sprintf("%.*f %s", decimals, used, unit)
			f.Bound = boundText(bound) + " " + unit
			f.inLine = fmt.Sprintf(inLine, used, boundText(bound))
			f.Past[0] = of.Used / of.Of
		}
		list = append(list, f)
	}
	var onGPUs Part
	for _, g := range s.GPUs {
		if g.Index < 0 || g.Index >= mostGPUs { // as a file may have it
			continue
		}
		name := fmt.Sprint("GPU ", g.Index)
		add(name, "use", g.Use, "%3.0[1]f %%", 0, "%")
		add(name, "memory", g.Memory, "%3.0f/%s GiB", 0, "GiB")
		// A scale of a kilowatt, and one of 100 °C; none where 0 stands for what is unknown.
		add(name, "power", Part{g.Power, min(1, g.Power) * 1000}, "%4.0[1]f W", 0, "W")
		add(name, "temperature", Part{g.Temperature, min(1, g.Temperature) * 100},
			"%3.0[1]f C", 0, "C")
		if g.Run > 0 {
			onGPUs = Part{onGPUs.Used + g.Run, onGPUs.Of + g.Memory.Of}
		}
	}
	r := &s.Run
	add("run", "memory", Part{r.Memory, s.Memory.Of}, "%.1[1]f GiB", 1, "GiB")
	add("run", "processor", Part{r.CPU, s.CPU.Of}, "%.1[1]f cores", 1, "cores")
	if r.Workers > 0 {
		add("run", "busy", Part{float64(r.Busy), float64(r.Workers)}, "%.0f of %s busy",
			0, "workers")
	}
	if onGPUs.Of > 0 {
		add("run", "on GPUs", onGPUs, "GPU %.1[1]f GiB", 1, "GiB")
	}
	add("CPU", "use", s.CPU, "%.1f/%s cores", 1, "cores")
	if s.Memory.Of < 10*gibi { // of a container
		add("memory", "use", s.Memory, "%.1f/%s GiB", 1, "GiB")
	} else {
		add("memory", "use", s.Memory, "%.0f/%s GiB", 0, "GiB")
	}
	add("disk", "use", s.Disk, "%.0f/%s GiB", 0, "GiB")
	return list
}
