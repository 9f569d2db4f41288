package runner

import (
	"context"
	"fmt"

	"drolab/runner/data"
	"drolab/runner/data/source"
)

// CheckData returns an error unless data with this checksum are the run's.
func (m *Meta) CheckData(checksum string) error {
	if checksum == m.Checksum {
		return nil
	}
	return fmt.Errorf("run %s was made with dataset %s, and %s is another one: "+
		"give the folder that has it with --data", m.ID, m.Checksum, checksum)
}

// OpenFor opens a dataset on which to use the network of a run; an empty name stands for the run's
// own dataset, with its own splits. The end of ctx stops it.
func (m *Meta) OpenFor(
	ctx context.Context, dataset, dataDir string,
) (*data.Dataset, error) {
	if dataset == "" {
		return m.openOwn(ctx, dataDir, false)
	}
	e, err := m.EncoderFrom(ctx, dataDir)
	if err != nil {
		return nil, err
	}
	o := data.Options{Dir: dataDir, Difficulty: m.Spec.Difficulty, Encoder: e, Rows: true}
	return OpenData(ctx, dataset, o)
}

// EncoderFrom returns the run's encoder: the stored one or, where that would be very long, the
// encoder fitted to the training data.
func (m *Meta) EncoderFrom(ctx context.Context, dataDir string) (*data.Encoder, error) {
	if err := m.HasOwnNetwork(); err != nil || m.Encoder != nil {
		return m.Encoder, err
	}
	d, err := m.openOwn(ctx, dataDir, false)
	if err != nil {
		return nil, fmt.Errorf(
			"the run has kept no encoder, so its training data are needed: %w", err)
	}
	return &d.Encoder, d.Close()
}

// Glance opens a run's own dataset for a caller that reads a few samples. It does not check whether
// large files are the ones that the run had, since that would read all of them: compare a sample's
// label.
func (m *Meta) Glance(ctx context.Context, dataDir string) (*data.Dataset, error) {
	return m.openOwn(ctx, dataDir, true)
}

// openOwn opens a run's own dataset, as the run did.
func (m *Meta) openOwn(
	ctx context.Context, dataDir string, glance bool,
) (*data.Dataset, error) {
	if err := m.HasOwnNetwork(); err != nil {
		return nil, err
	}
	o := m.Spec.DataOptions(dataDir)
	o.Rows, o.Glance = true, glance
	d, err := OpenData(ctx, m.Spec.Dataset, o)
	if err != nil {
		return nil, err
	}
	if glance && d.Checksum == "" {
		return d, nil
	}
	if err := m.CheckData(d.Checksum); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// OpenData is source.OpenContext, but turns a fault in a mapped file into an error.
func OpenData(ctx context.Context, name string, o data.Options) (d *data.Dataset, err error) {
	err = Unfaulted(func() (err error) {
		d, err = source.OpenContext(ctx, name, o)
		return err
	})
	return d, err
}

// Unfaulted calls do, which reads samples, and turns a fault in one of their files into an error.
// It is source.Unfaulted with the error that the log of a run shows.
func Unfaulted(do func() error) error { return source.Unfaulted(errDataCut, do) }
