package machine

import (
	"time"

	"drolab/runner/measure"
)

// Sample is one look at the machine. Rates are means since the look before. A figure that the
// system does not tell does not apply.
type Sample struct {
	Time   time.Time      `json:"time"`
	Cores  int            `json:"cores,omitempty"`
	CPU    measure.Number `json:"cpu,omitzero"` // cores in use
	Memory Part           `json:"memory,omitzero"`
	Disk   Part           `json:"disk,omitzero"`   // the disk of the runs
	Reads  measure.Number `json:"reads,omitzero"`  // bytes a second of the busiest disk
	Writes measure.Number `json:"writes,omitzero"` // the same
	In     measure.Number `json:"in,omitzero"`     // bytes a second of the busiest network device
	Out    measure.Number `json:"out,omitzero"`    // the same
	GPUs   []GPU          `json:"gpus,omitempty"`  // those that the run uses come first
	Run    Processes      `json:"run,omitzero"`
}

// Part is a used part of something, in bytes.
type Part struct {
	Used measure.Number `json:"used,omitzero"`
	Of   measure.Number `json:"of,omitzero"`
}

// GPU is one GPU, as nvidia-smi describes it. A GPU in MIG mode does not tell its use.
type GPU struct {
	Index       int            `json:"index"`
	Use         measure.Number `json:"use,omitzero"` // part of the time, 0 to 1
	Memory      Part           `json:"memory,omitzero"`
	Power       measure.Number `json:"power,omitzero"`       // watts
	Temperature measure.Number `json:"temperature,omitzero"` // degrees Celsius
	Run         measure.Number `json:"run,omitzero"`         // bytes of the run; none: not its GPU
}

// Processes are those of one run: drolab's own, or a program's with its workers.
type Processes struct {
	Memory  measure.Number `json:"memory,omitzero"`   // resident bytes; shared ones count in each
	CPU     measure.Number `json:"cpu,omitzero"`      // cores in use
	Workers int            `json:"workers,omitempty"` // processes that a program has started
	Busy    int            `json:"busy,omitempty"`    // workers that use at least half a core
}

// part returns a part from counts of bytes.
func part(used, of uint64) Part {
	return Part{measure.Num(float64(used)), measure.Num(float64(of))}
}

// add returns the sum of two figures, of which either may be unknown.
func add(a, b measure.Number) measure.Number {
	if !a.Applies() || !b.Applies() {
		return larger(a, b)
	}
	return measure.Num(a.Float() + b.Float())
}

// larger returns the larger one of two figures, or the one that is known.
func larger(a, b measure.Number) measure.Number {
	if !a.Applies() || b.Float() > a.Float() {
		return b
	}
	return a
}
