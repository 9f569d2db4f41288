package certificate

import (
	"context"
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
	"drolab/runner/train"
)

// Frozen is a run as it was at a checkpoint: its network, data and method, to be
// measured and not trained. It is for one goroutine.
type Frozen struct {
	Meta *runner.Meta
	Step int64 // of the checkpoint

	Run    *train.Run    // does not train; Close releases it; nil in an imported run
	Data   *data.Dataset // the run's own, checked against its checksum
	output bool          // the network has the paper's iterate
	from   *runner.State // the predictions of an imported run; else nil
}

// Freeze builds the run of p at its checkpoint, with the data and programs of means. The caller
// closes it. The end of ctx stops the opening of the data and ends the run's program, if it has
// one. The error names the run and the reason: no checkpoint, a changed file, other data, too
// little memory, or a program that was never started before.
func Freeze(
	ctx context.Context, p *runner.Past, means Means, threads int,
) (*Frozen, error) {
	m := *p.Meta
	if p.From == nil && m.Imported != nil {
		return nil, m.Trained()
	}
	if p.From == nil {
		return nil, fmt.Errorf("run %s has no checkpoint yet", m.ID)
	}
	if m.Imported != nil {
		d, err := importedData(&m, p.From)
		if err != nil {
			return nil, err
		}
		return &Frozen{Meta: &m, Step: p.From.Step, Data: d, from: p.From}, nil
	}
	if err := m.Usable(); err != nil {
		return nil, fmt.Errorf("run %s: its run.json cannot be used: %w", m.ID, err)
	}
	d, network, err := means.Open(ctx, &m, threads)
	if err != nil {
		return nil, err
	}
	f := &Frozen{Meta: &m, Step: p.From.Step, Data: d}
	if err = train.AskMemory(&m.Spec, d, m.Parameters); err == nil {
		f.Run, err = train.Measuring(&m, d, network, p.From, threads, true)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("run %s: %w", m.ID, err)
	}
	return f, nil
}

// Close releases the data and the network, if there is one. The error is from closing the data.
func (f *Frozen) Close() error {
	if f.Run != nil {
		f.Run.Close()
	}
	return f.Data.Close()
}

// UseOutput puts the x that the method's output rule has chosen into the network, in place of the
// checkpoint's own. It stays there: what is measured later belongs to the output, and Z too. A
// second call changes nothing.
func (f *Frozen) UseOutput() error {
	if f.Run == nil {
		return f.Meta.Trained()
	}
	if f.Run.Method.Picked() == nil {
		return fmt.Errorf("run %s: %s has no output rule, or has chosen nothing yet: "+
			"leave --output out", f.Meta.ID, f.Meta.Spec.Algorithm())
	}
	if !f.output {
		f.Run.Net.Swap()
		f.output = true
	}
	return nil
}

// Z returns the dual variables that belong to the network, in the problem's
// coordinates; ok is false where the method has none.
func (f *Frozen) Z() (z dro.Z, ok bool) {
	if f.Run == nil {
		return z, false
	}
	own := f.Run.Method.Dual()
	switch {
	case own == nil:
		return z, false
	case f.output:
		return f.Run.Method.Picker.Picked().Z, true
	}
	return *own, true
}

// Problem returns the run's own problem: its set, radius, coordinates and box at the checkpoint.
func (f *Frozen) Problem() *dro.Problem { return f.Run.Method.Problem }

// HasVal tells whether there is a validation split that the last layer was not fitted to.
func (f *Frozen) HasVal() bool { return f.Data.Val != nil && f.Meta.Refitted == nil }

// Pass runs the network over a split, unaugmented and in evaluation mode, without confidences. It
// fails if there is no such split or a loss is not finite.
func (f *Frozen) Pass(split string) (*measure.Pass, error) {
	switch {
	case !slices.Contains(runner.Splits(), split):
		return nil, fmt.Errorf("split %q: expected test, val or train", split)
	case split == runner.SplitVal && !f.HasVal():
		return nil, fmt.Errorf("run %s has no validation split", f.Meta.ID)
	}
	if f.Run == nil {
		of, err := predictedSplit(f.Meta, f.from, split)
		if err != nil {
			return nil, err
		}
		return &of.Pass, nil
	}
	return f.Run.Pass(split, false)
}

// Stationarity makes the paper's two-part test at the network and its dual variables, on the
// training split.
func (f *Frozen) Stationarity() (*measure.Output, error) {
	z, ok := f.Z()
	if !ok {
		return nil, fmt.Errorf("run %s: %s has no dual variables",
			f.Meta.ID, f.Meta.Spec.Algorithm())
	}
	return f.Run.Stationarity(z)
}

// draws returns a loader that draws batches of training samples with replacement, unaugmented, by
// the run's seed. The caller closes it.
func (f *Frozen) draws(batch int, stream uint64) (*loader.Loader, error) {
	o := f.Run.LoaderOptions(runner.SplitTrain, nn.Evaluate, stream, batch)
	o.Ahead = false
	return loader.NewDraws(f.Data.Train, o)
}

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
	d, err := m.OpenFor(ctx, "", a.DataDir)
	return d, train.Native, err
}
