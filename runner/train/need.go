package train

import (
	"context"
	"fmt"

	"drolab/dro/nn"
	"drolab/runner/data"
	"drolab/runner/internal/room"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// need estimates what a run takes beside its dataset, in bytes: the network,
// the batches of its loaders, the orders that samples come in, what an
// evaluation keeps of each sample, and the tensors of a checkpoint.
func need(s *spec.Spec, d *data.Dataset, parameters int) (bytes float64, err error) {
	sizes := data.Sizes{Shape: d.Shape, Classes: len(d.Classes), Train: d.Train.Len(),
		Test: d.Test.Len()}
	return needOf(s, sizes, parameters)
}

// Memory estimates what a process takes that trains s on data of these sizes, in
// bytes, with the data in memory.
func Memory(s *spec.Spec, d data.Sizes) (bytes float64, err error) {
	parameters := 0
	if !s.IsProgram() {
		parameters, err = nn.Check(config(s, d.Shape, d.Classes, 1))
		if err != nil {
			return 0, err
		}
	}
	bytes, err = needOf(s, d, parameters)
	const program = 100 << 20
	values := float64(d.Train+d.Test) / (1 - s.ValFraction) * float64(d.Shape.Len())
	return program + bytes + 4*values, err
}

// needOf is need, of data that are not open yet. It counts two batches of each loader
// for the one in use and the one that is made ahead, and may err on the large side: a
// run that is refused can be made smaller, one that the system kills has lost its work.
func needOf(s *spec.Spec, d data.Sizes, parameters int) (bytes float64, err error) {
	if s.IsProgram() { // what it takes itself is not known here
		parameters = 0
	} else if bytes, err = nn.Memory(config(s, d.Shape, d.Classes, 1)); err != nil {
		return 0, err
	}
	const (
		loaders = 4  // copies of a batch: two of each of x and z
		sample  = 40 // bytes: loss, ratio, label, group and class
	)
	batch, z := float64(s.Batch), float64(max(s.Batch, s.BatchZ))
	samples := float64(d.Train + d.Test)
	bytes += 4 * float64(d.Shape.Len()) * loaders / 2 * (batch + z) // what a batch has of values
	bytes += sample * (batch + z)                                   // and beside them
	bytes += (4 + sample) * samples                                 // orders; an evaluation
	if by, _ := measure.FindMeasure(s.Select); by.Scores() {
		bytes += 4 * float64(d.Classes) * samples // probabilities
	}
	bytes += 4 * 4 * float64(parameters) // a checkpoint's tensors
	return bytes, nil
}

// networkConfig is the network of a run. What builds a network, estimates its memory
// or names its kernel goes through config, so that all speak of the same one.
func networkConfig(s *spec.Spec, d *data.Dataset, threads int) nn.Config {
	return config(s, d.Shape, len(d.Classes), threads)
}

func config(s *spec.Spec, shape data.Shape, classes, threads int) nn.Config {
	c := s.Network(shape, classes)
	c.Threads = threads
	return c
}

// AskRoom says whether a run fits the machine, by itself: it reserves nothing. The
// error says what is missing, in words for who started the run.
func AskRoom(s *spec.Spec, d *data.Dataset, parameters int) error {
	bytes, err := need(s, d, parameters)
	if err != nil {
		return err
	}
	return room.Ask(bytes, inBatches(s))
}

// TakeRoom promises a run its memory. It takes it at its first steps, and so the
// machine cannot tell. The caller releases the share when the run has ended.
func TakeRoom(
	ctx context.Context, s *spec.Spec, d *data.Dataset, parameters int,
) (*room.Share, error) {
	bytes, err := need(s, d, parameters)
	if err != nil {
		return nil, err
	}
	return room.Take(ctx, bytes, inBatches(s))
}

// inBatches is what needs the memory of a run, in words, for the error of a run that
// does not fit: the batch is what a person can change.
func inBatches(s *spec.Spec) string {
	return fmt.Sprintf("a run of %s in batches of %d", s.Model, max(s.Batch, s.BatchZ))
}

// Kernel names what multiplies in the run's training steps on data: the host's
// kernel, or that of another precision, and what orders sums differently.
func Kernel(s *spec.Spec, host string, d *data.Dataset) string {
	if s.Precision != spec.Defaults().Precision {
		host = nn.Kernel(s.Precision)
	}
	if order := nn.Order(networkConfig(s, d, 1)); order != "" {
		return host + "-" + order
	}
	return host
}
