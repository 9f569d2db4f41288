package train

import (
	"context"
	"errors"
	"time"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/spec"
)

// Forecast is what is known of runs before they start.
type Forecast struct {
	Warnings []string `json:"warnings,omitempty"` // what the runs would warn of
	Unknown  string   `json:"unknown,omitempty"`  // why that is not known; "" if it is
	// Checkpoints is the largest number that a run keeps, and Bytes is what they take together. 0
	// is not known.
	Checkpoints int   `json:"checkpoints,omitempty"`
	Bytes       int64 `json:"bytes,omitempty"`
}

// longestForecast bounds the reading of the data for a forecast: nobody waits for it longer.
const longestForecast = 20 * time.Second

// Foresee reads the data of s, to find what its runs would warn of. Runs of other seeds warn of the
// same, so s should have one. A checkpoint is kept after each of so many parts. The error says why
// the runs would not start.
func Foresee(ctx context.Context, s spec.Spec, dataDir string, parts int) (f Forecast, err error) {
	if s.IsProgram() || s.IsScript() {
		return Forecast{Unknown: "the program tells of its data when it starts"}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, longestForecast)
	defer cancel()
	o := s.DataOptions(dataDir)
	o.Glance = true // no image is looked at
	d, err := runner.OpenData(ctx, s.Dataset, o)
	if ctx.Err() != nil {
		return Forecast{Unknown: "the data take long to read"}, nil
	}
	if err != nil {
		return Forecast{}, err
	}
	defer d.Close()
	for _, one := range s.Expand() {
		var more []string
		wrong := runner.Unfaulted(func() (err error) {
			more, err = Preview(one, d)
			return err
		})
		f.Warnings, err = append(f.Warnings, more...), errors.Join(err, wrong)
	}
	f.Warnings = lists.DistinctBy(f.Warnings, func(text string) string { return text })
	if parameters, wrong := nn.Check(s.Network(d.Shape, len(d.Classes))); wrong == nil {
		f.Checkpoints = parts + s.CheckpointKeep - 1
		f.Bytes = int64(f.Checkpoints) * bytesOfCheckpoint(parameters)
	}
	return f, err
}

// bytesOfCheckpoint returns about how much a checkpoint takes: the parameters, the velocities or
// two moments of the optimizer, the x that the method reports, and some kilobytes.
func bytesOfCheckpoint(parameters int) int64 {
	const each, rest = 4 * 4, 20_000
	return each*int64(parameters) + rest
}
