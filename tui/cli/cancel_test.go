package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
)

// twoClasses is a split of 60 samples, whose only feature is their class.
type twoClasses struct{}

func (twoClasses) Len() int                  { return 60 }
func (twoClasses) Shape() data.Shape         { return data.Shape{C: 1, H: 1, W: 1} }
func (twoClasses) Label(i int) int           { return i % 2 }
func (twoClasses) Group(i int) int           { return i % 2 }
func (twoClasses) Read(dst []float32, i int) { dst[0] = float32(i % 2) }

// TestCancelStopsTheOpeningOfData: a command whose context ends while it opens a slow dataset stops
// there and says so.
func TestCancelStopsTheOpeningOfData(t *testing.T) {
	open := func(data.Options) (*data.Dataset, error) {
		return &data.Dataset{Classes: []string{"no", "yes"}, Train: twoClasses{},
			Test: twoClasses{}, Checksum: "slow"}, nil
	}
	defer source.Register(data.Provider{Name: "slow", Purpose: "for a test",
		Open: func(_ string, o data.Options) (*data.Dataset, error) { return open(o) }})()
	s := spec.Defaults()
	s.Algorithms, s.Dataset, s.Model, s.Epochs = []dro.Algorithm{dro.SFK}, "slow", "linear", 1
	s.Batch, s.BatchZ = 16, 16
	run := recordtest.Train(t, s).Dir
	dir := t.TempDir()
	file := filepath.Join(dir, "sweep.yaml")
	text := "preset: shapes\nset: {dataset: slow, val_fraction: 0}\nselect: val_loss\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"eval", run},
		{"eval", run, "--dataset", "slow"},
		{"certify", run},
		{"theory", run},
		{"features", run, "--out", filepath.Join(dir, "features.npz")},
		{"sweep", "start", file, "--dry-run"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		opened := false
		open = func(o data.Options) (*data.Dataset, error) {
			opened = true
			cancel()
			<-ctx.Done()
			if err := o.Progress(1, 2); err != nil {
				return nil, err
			}
			return nil, errors.New("it was read to its end")
		}
		var errs bytes.Buffer
		var out strings.Builder
		env := console.Env{Stdout: cell.NewWriter(&out), Stderr: &errs, RunsDir: t.TempDir(),
			DataDir: t.TempDir()}
		code := Main(ctx, env, args)
		if !opened {
			t.Errorf("drolab %s opens no data: exit %d, %s", args[0], code, errs.String())
		}
		if code != 1 {
			t.Errorf("drolab %s: exit %d after the end of its context, want 1", args[0], code)
		}
		const want = "reading it was stopped: context canceled"
		if got := errs.String(); !strings.Contains(got, want) {
			t.Errorf("drolab %s prints %q, want an error with %q", args[0], got, want)
		}
	}
}
