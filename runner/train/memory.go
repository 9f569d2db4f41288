package train

import (
	"context"
	"fmt"

	"drolab/dro/nn"
	"drolab/runner/data"
	"drolab/runner/internal/memory"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// memoryOf estimates the memory of a run besides its dataset, in bytes. It counts the network, the
// batches of its loaders, the orders of the samples, the values that an evaluation keeps of each
// sample, and the tensors of a checkpoint.
func memoryOf(s *spec.Spec, d *data.Dataset, parameters int) (bytes float64, err error) {
	sizes := data.Sizes{Shape: d.Shape, Classes: len(d.Classes), Train: d.Train.Len(),
		Test: d.Test.Len()}
	return memoryOfSizes(s, sizes, parameters)
}

// Memory estimates the memory of a process that trains s on data of these sizes, in bytes, with the
// data in memory.
func Memory(s *spec.Spec, d data.Sizes) (bytes float64, err error) {
	parameters := 0
	if !s.IsProgram() {
		if parameters, err = nn.Check(s.Network(d.Shape, d.Classes)); err != nil {
			return 0, err
		}
	}
	if bytes, err = memoryOfSizes(s, d, parameters); err != nil {
		return 0, err
	}
	const program = 100 << 20
	values := float64(d.Train+d.Test) / (1 - s.ValFraction) * float64(d.Shape.Len())
	return program + bytes + 4*values, nil
}

// memoryOfSizes is memoryOf for data that are not open yet. It counts two batches of each loader,
// the one in use and the one made ahead. It may overestimate: a run that is refused can be made
// smaller, but a run that the system kills has lost its work.
func memoryOfSizes(s *spec.Spec, d data.Sizes, parameters int) (bytes float64, err error) {
	if s.IsProgram() { // the memory of the program itself is not known here
		parameters = 0
	} else if bytes, err = nn.Memory(s.Network(d.Shape, d.Classes)); err != nil {
		return 0, err
	}
	const (
		loaders = 4  // copies of a batch: two of each of x and z
		sample  = 40 // bytes: loss, ratio, label, group and class
	)
	batch, z := float64(s.Batch), float64(max(s.Batch, s.BatchZ))
	samples := float64(d.Train + d.Test)
	bytes += 4 * float64(d.Shape.Len()) * loaders / 2 * (batch + z) // the values of the samples
	bytes += sample * (batch + z)                                   // their other numbers
	bytes += (4 + sample) * samples                                 // the orders; an evaluation
	if by, _ := measure.FindMeasure(s.Select); by.Scores() {
		bytes += 4 * float64(d.Classes) * samples // probabilities
	}
	bytes += 4 * 4 * float64(parameters) // a checkpoint's tensors
	return bytes, nil
}

// AskMemory returns an error if a run by itself does not fit the machine; it reserves nothing. The
// error says what is missing, in words for the person who started the run.
func AskMemory(s *spec.Spec, d *data.Dataset, parameters int) error {
	bytes, err := memoryOf(s, d, parameters)
	if err != nil {
		return err
	}
	return memory.Ask(bytes, inBatches(s))
}

// ReserveMemory reserves the memory of a run. The run allocates it only in its first steps, so the
// machine's free memory does not show it yet. The caller releases the share when the run has ended.
func ReserveMemory(
	ctx context.Context, s *spec.Spec, d *data.Dataset, parameters int,
) (*memory.Share, error) {
	bytes, err := memoryOf(s, d, parameters)
	if err != nil {
		return nil, err
	}
	return memory.Reserve(ctx, bytes, inBatches(s))
}

// inBatches names what needs the memory of a run, for the error of a run that does not fit. It
// mentions the batch, which the user can change.
func inBatches(s *spec.Spec) string {
	return fmt.Sprintf("a run of %s in batches of %d", s.Model, max(s.Batch, s.BatchZ))
}
