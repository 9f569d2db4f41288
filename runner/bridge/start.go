package bridge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// Start returns how to start the program of s, which this user must have started before, and what a
// run records of the program.
func (a Approvals) Start(
	s *spec.Spec, m *runner.ProgramMeans,
) (p runner.Program, start Start, err error) {
	named, ok := s.Program()
	if !ok || !filepath.IsAbs(named.Path) {
		return p, start, fmt.Errorf("model: %s: want program:PATH with the whole path", s.Model)
	}
	p = runner.Program{Path: named.Path, Arguments: named.Words}
	if p.SHA256, err = a.Check(named.Path); err != nil {
		return p, start, err
	}
	start = Start{Program: named, Spec: s}
	if m != nil {
		start.Python, start.Env = m.Python, m.Env
	}
	if filepath.Ext(named.Path) == ".py" {
		if start.Python == "" {
			if start.Python, err = exec.LookPath("python3"); err != nil {
				return p, start, errors.New("no python3 is in the PATH: a program that ends " +
					"in .py needs it")
			}
		}
		p.Interpreter = start.Python
	}
	return p, start, nil
}

// Outside prepares a program that runs outside of any run: it gets a temporary folder of its own,
// and its output is discarded.
func (s *Start) Outside() (err error) {
	s.Log = nobody{}
	s.Scratch, err = os.MkdirTemp("", "drolab-program-")
	return err
}

// nobody discards what a program prints.
type nobody struct{}

// Write implements io.Writer.
func (nobody) Write(b []byte) (int, error) { return len(b), nil }

// Close implements io.Closer.
func (nobody) Close() error { return nil }

// Measuring starts the program of a run, to measure checkpoints with it. It returns the run's
// samples and a function that returns the network. The program ends when the samples or the network
// are closed, or with ctx.
func (a Approvals) Measuring(
	ctx context.Context, m *runner.Meta, threads int,
) (*data.Dataset, train.NewNetwork, error) {
	if m.Spec.IsScript() {
		return nil, nil, fmt.Errorf("run %s has its network and data in a script: drolab show has "+
			"what run.evaluate gave", m.ID)
	}
	if a == "" {
		return nil, nil, fmt.Errorf("run %s trains a program, and a read-only view starts none",
			m.ID)
	}
	p, start, err := a.Start(&m.Spec, nil)
	if err == nil {
		err = start.Outside()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("run %s: %w", m.ID, err)
	}
	start.Purpose, start.Threads = Evaluating, max(1, threads)
	n, d, err := open(ctx, start, m.Checksum)
	if err != nil {
		os.RemoveAll(start.Scratch)
		return nil, nil, fmt.Errorf("run %s: %w", m.ID, err)
	}
	if then := m.Program; then != nil && then.SHA256 != p.SHA256 {
		d.Notes = append(d.Notes, fmt.Sprintf("%s is not the file that the run was started with: "+
			"its numbers may differ", filepath.Base(p.Path)))
	}
	d.Release = func() error {
		n.Close()
		return nil
	}
	network := func(*spec.Spec, *data.Dataset, int) (train.Network, error) { return n, n.Err() }
	return d, network, nil
}
