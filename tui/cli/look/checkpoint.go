package look

import (
	"context"
	"errors"

	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/certificate"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/tui/cli/console"
)

// userMeans returns the data folder and the approved programs of this user.
func userMeans(con *console.Console) certificate.Means {
	return certificate.Means{DataDir: con.DataDir, Programs: bridge.Approvals(con.Programs)}
}

// freeze loads the checkpoint of a step; -1 stands for the last one.
func freeze(
	ctx context.Context, con *console.Console, r *record.Run, step int64,
) (*certificate.Frozen, error) {
	past, err := r.Past(step)
	if err != nil {
		return nil, err
	}
	return certificate.Freeze(ctx, past, userMeans(con), con.Threads)
}

// onTraining calls do with the network of a checkpoint, frozen, and its training split.
func onTraining(
	ctx context.Context, con *console.Console, r *record.Run, step int64,
	do func(*certificate.Frozen, *measure.Pass) error,
) (err error) {
	if err := r.Meta.HasOwnNetwork(); err != nil {
		return err
	}
	frozen, err := freeze(ctx, con, r, step)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, frozen.Close()) }()
	train, err := frozen.Pass(runner.SplitTrain)
	if err != nil {
		return err
	}
	return do(frozen, train)
}
