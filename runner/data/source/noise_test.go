package source

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/synthetic"
)

// opened opens a dataset and closes it when the test ends.
func opened(t *testing.T, name string, o data.Options) *data.Dataset {
	t.Helper()
	d, err := Open(name, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// Exactly the given share of the training labels is changed, in the same way at every opening.
// Nothing else changes.
func TestLabelNoise(t *testing.T) {
	plain := data.Options{Samples: 3000, Imbalance: data.PaperImbalance(), ValFraction: .1}
	noisy := plain
	noisy.LabelNoise = .07
	clean := opened(t, "shapes", plain)
	d, again := opened(t, "shapes", noisy), opened(t, "shapes", noisy)
	checkLengths(t, "with noise", d, clean.Train.Len(), clean.Val.Len(), clean.Test.Len())
	if d.Checksum != clean.Checksum {
		t.Errorf("with noise the checksum is %s, want %s as without", d.Checksum, clean.Checksum)
	}
	n, changed := d.Train.Len(), 0
	var pixels, same [3 * synthetic.Side * synthetic.Side]byte
	for i := range n {
		label, was := d.Train.Label(i), clean.Train.Label(i)
		if label != was {
			changed++
		}
		if got := again.Train.Label(i); got != label {
			t.Fatalf("sample %d: label %d at another opening, want %d", i, got, label)
		}
		if got := d.Train.Group(i); got != label {
			t.Fatalf("sample %d: group %d, want the label, %d", i, got, label)
		}
		got := d.Train.(data.ImageSource).Pixels(pixels[:], i)
		if want := clean.Train.(data.ImageSource).Pixels(same[:], i); !bytes.Equal(got, want) {
			t.Fatalf("sample %d is another image", i)
		}
	}
	want := int(math.Round(.07 * float64(n)))
	note := fmt.Sprintf("label_noise: %d of %d training labels are set to another class", want, n)
	if changed != want {
		t.Errorf("%d labels are changed, want %d", changed, want)
	}
	if !slices.Equal(d.Notes, []string{note}) {
		t.Errorf("notes %q, want %q", d.Notes, note)
	}
	if clean.Notes != nil {
		t.Errorf("without noise: notes %q, want none", clean.Notes)
	}
	for _, split := range [][2]data.Source{{d.Val, clean.Val}, {d.Test, clean.Test}} {
		for i := range split[0].Len() {
			if split[0].Label(i) != split[1].Label(i) {
				t.Fatalf("sample %d outside training: label %d, was %d", i, split[0].Label(i),
					split[1].Label(i))
			}
		}
	}
	noisy.Seed = 1
	other, apart := opened(t, "shapes", noisy), 0
	for i := range n {
		was := clean.Train.Label(i)
		if (other.Train.Label(i) != was) != (d.Train.Label(i) != was) {
			apart++
		}
	}
	if apart < changed {
		t.Errorf("another seed of the data changes all but %d of the same samples", apart/2)
	}
}

// The samples that are changed, and the other classes that they get, are drawn uniformly: each cell
// of 60 000 changes is within five standard deviations.
func TestLabelNoiseIsUniform(t *testing.T) {
	const n, classes, share = 200_000, 4, .3
	truth := make(labelled, n)
	for i := range truth {
		truth[i] = i % classes
	}
	d := &data.Dataset{Classes: make([]string, classes), Train: truth}
	d.Mislabel(share, 3)
	var to [classes][classes]float64
	var tenths [10]float64
	for i, was := range truth {
		if label := d.Train.Label(i); label != was {
			to[was][label]++
			tenths[i*10/n]++
		}
	}
	near := func(what string, got, p float64) {
		t.Helper()
		mean, spread := n*share*p, math.Sqrt(n*share*p*(1-p))
		if math.Abs(got-mean) > 5*spread {
			t.Errorf("%s: %v changes, want %v ± %v", what, got, mean, spread)
		}
	}
	for was := range to {
		for label := range to {
			if was != label {
				near(fmt.Sprintf("%d to %d", was, label), to[was][label], 1./(classes*(classes-1)))
			}
		}
	}
	for i, got := range tenths {
		near(fmt.Sprintf("tenth %d", i), got, .1)
	}
}

// Given groups stay with their samples; a table is no source of images.
func TestLabelNoiseLeavesGroups(t *testing.T) {
	clean, d := opened(t, "csv:example", data.Options{}), opened(t, "csv:example",
		data.Options{LabelNoise: .5})
	if _, images := d.Train.(data.ImageSource); images || !d.Grouped {
		t.Fatalf("a table with groups is %T", d.Train)
	}
	x, y := make([]float32, d.Shape.Len()), make([]float32, d.Shape.Len())
	for i := range d.Train.Len() {
		d.Train.Read(x, i)
		clean.Train.Read(y, i)
		if d.Train.Group(i) != clean.Train.Group(i) || !slices.Equal(x, y) {
			t.Fatalf("sample %d: group %d and %v, were %d and %v", i, d.Train.Group(i), x,
				clean.Train.Group(i), y)
		}
	}
}

// A cell is label × group. It follows the label that is trained on, into a new group where no
// sample had that cell.
func TestLabelNoiseMovesCells(t *testing.T) {
	var text strings.Builder
	text.WriteString("x,label,sex\n")
	for i := range 400 {
		fmt.Fprintf(&text, "%d,%s\n", i, []string{"a,F", "a,M", "b,M"}[i%3])
	}
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	name := "csv:" + path + "?label=label&group=sex&cells=yes"
	clean, d := opened(t, name, data.Options{}), opened(t, name, data.Options{LabelNoise: .5})
	if want := append(slices.Clone(clean.Groups), "b × F"); !slices.Equal(d.Groups, want) {
		t.Fatalf("groups %q, want %q", d.Groups, want)
	}
	for i := range d.Train.Len() {
		_, sex, _ := strings.Cut(clean.Groups[clean.Train.Group(i)], " × ")
		want := d.Classes[d.Train.Label(i)] + " × " + sex
		if got := d.Groups[d.Train.Group(i)]; got != want {
			t.Fatalf("sample %d is in %q, want %q", i, got, want)
		}
	}
	drawn := opened(t, "spurious", data.Options{Samples: 400, LabelNoise: .3})
	for i := range drawn.Train.Len() {
		if drawn.Train.Group(i)/2 != drawn.Train.Label(i) {
			t.Fatalf("sample %d of class %d is in cell %d", i, drawn.Train.Label(i),
				drawn.Train.Group(i))
		}
	}
}

func TestLabelNoiseIsAShare(t *testing.T) {
	for _, q := range []float64{-.1, 1, math.NaN()} {
		if _, err := Open("shapes", data.Options{LabelNoise: q}); err == nil {
			t.Errorf("a noise of %v was taken", q)
		}
	}
}
