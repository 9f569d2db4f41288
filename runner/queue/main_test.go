package queue

import (
	"os"
	"runtime/debug"
	"testing"

	"drolab/dro"
	_ "drolab/dro/memtest"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/data/synthetic"
)

// methods returns every method or, with -short, one of each kind: with λ and η, without weights,
// with groups, with a restart, with a refit, and with steps of its own.
func methods() []dro.Algorithm {
	if testing.Short() {
		return []dro.Algorithm{dro.SFK, dro.PGD, dro.ERM, "group", "jtt", "dfr", "nsgdm"}
	}
	return dro.Algorithms()
}

// fewShapes is the dataset shapes with a fiftieth of its test images. To draw all of them takes
// longer than the training of a short run.
func fewShapes() data.Provider {
	p := *synthetic.Shapes()
	p.Name, p.Sizes.Test = "few shapes", synthetic.ShapesTest/50
	open := p.Open
	p.Open = func(dir string, o data.Options) (*data.Dataset, error) {
		d, err := open(dir, o)
		if err == nil {
			d.Test.(*synthetic.Drawn).N = p.Sizes.Test
		}
		return d, err
	}
	return p
}

// TestMain registers the dataset few shapes. It gives the garbage collector room: the tests hold
// only a few megabytes.
func TestMain(m *testing.M) {
	source.Register(fewShapes())
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
