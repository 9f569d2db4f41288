package certificate

import (
	"context"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/data"
	"drolab/runner/train"
)

// Means are the data and programs of this machine with which checkpoints are measured.
type Means struct {
	DataDir  string
	Programs bridge.Approvals // the programs that may be started
}

// Open opens a run's own data, as the run did, with what makes its network: drolab's own, or
// the run's program, which ends when the data are closed, or with ctx.
func (a Means) Open(
	ctx context.Context, m *runner.Meta, threads int,
) (*data.Dataset, train.NewNetwork, error) {
	if m.Spec.IsProgram() {
		return a.Programs.Measuring(ctx, m, threads)
	}
	d, err := m.OpenFor("", a.DataDir)
	return d, train.Native, err
}
