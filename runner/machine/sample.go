package machine

import "time"

// Sample is one look at the machine. Times of processors are means since the look before. Where
// this process may use only a part of the machine, as by a control group, the processors and the
// memory are this part. What the system does not tell is left out.
type Sample struct {
	Time   time.Time `json:"time"`
	CPU    Part      `json:"cpu,omitzero"` // in cores
	Memory Part      `json:"memory,omitzero"`
	Disk   Part      `json:"disk,omitzero"`  // the disk of the runs
	GPUs   []GPU     `json:"gpus,omitempty"` // those that the run uses come first
	Run    Processes `json:"run,omitzero"`
}

// Part is a used part of something, in bytes if nothing else is said. Of is 0 where it is unknown.
type Part struct {
	Used float64 `json:"used"`
	Of   float64 `json:"of"`
}

// GPU is one GPU, as nvidia-smi describes it. A GPU in MIG mode does not tell its use.
type GPU struct {
	Index       int     `json:"index"`
	Use         Part    `json:"use,omitzero"` // per cent of the time
	Memory      Part    `json:"memory,omitzero"`
	Power       float64 `json:"power,omitzero"`       // watts
	Temperature float64 `json:"temperature,omitzero"` // degrees Celsius
	Run         float64 `json:"run,omitzero"`         // bytes of the run; 0: not known as its GPU
	Name        string  `json:"name,omitempty"`       // samples of runs have none
}

// Processes are those of one run: drolab's own, or a program's with its workers.
type Processes struct {
	Memory  float64 `json:"memory"`            // resident bytes; shared ones count in each
	CPU     float64 `json:"cpu"`               // cores in use
	Workers int     `json:"workers,omitempty"` // processes that a program has started
	Busy    int     `json:"busy,omitempty"`    // workers that use at least half a core
}
