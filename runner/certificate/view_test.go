package certificate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
)

// trained returns a finished run of a spec that is small enough for a test.
func trained(t *testing.T, change func(*spec.Spec)) *record.Run {
	t.Helper()
	s := spec.Defaults()
	s.Algorithms, s.Model = []dro.Algorithm{dro.ERM}, "linear"
	s.Augment, s.Batch, s.Epochs = false, 16, 1
	change(&s)
	return recordtest.Train(t, s)
}

func shapes(s *spec.Spec) { s.Dataset, s.Samples, s.RiskRadii = "shapes", 200, []float64{1, .05} }

func table(s *spec.Spec) { s.Dataset, s.ValFraction = "csv:example", .25 }

// at returns a look at the newest checkpoint, and the look's pick at the run's radii.
func at(t *testing.T, r *record.Run, split string) (*View, *Pick) {
	t.Helper()
	l, err := NewView(t.Context(), ViewOf{Run: r, Step: -1, Split: split,
		Means:      Means{DataDir: os.Getenv("DROLAB_DATA")},
		Inspection: Inspection{Threads: 2}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p, err := l.Pick(Radii(&r.Meta))
	if err != nil {
		t.Fatal(err)
	}
	return l, p
}

// In every set, a worst case gives a larger loss at least as much weight. So one order of the
// samples is the order of their losses and of their ratios at every radius.
func TestOrderIsThatOfRatios(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range dro.SetNames() {
		set, err := dro.NewSet(name, 1.5, .2)
		if err != nil {
			t.Fatal(err)
		}
		l := &View{Set: set, Samples: &Samples{}}
		for range 500 {
			l.Losses = append(l.Losses, math.Round(40*rng.ExpFloat64())/10) // with ties
		}
		for _, rho := range []float64{.01, .5, 3} {
			ratios, _, err := l.Weigh(rho)
			if err != nil {
				t.Fatal(err)
			}
			order := l.Order()
			for k, i := range order[1:] {
				before := order[k]
				if ratios[i] > ratios[before]*(1+1e-9) {
					t.Fatalf("%s at %v: loss %v weighs %v, loss %v only %v", name, rho, l.Losses[i],
						ratios[i], l.Losses[before], ratios[before])
				}
				if l.Losses[i] == l.Losses[before] && i < before {
					t.Fatalf("%s: equal losses are not in the split's order", name)
				}
			}
		}
	}
}

// The samples picked of each part are the first of the sorted part, and the pick's figures are
// those of the look.
func TestPicked(t *testing.T) {
	for name, change := range map[string]func(*spec.Spec){"shapes": shapes, "csv:example": table} {
		t.Run(name, func(t *testing.T) {
			r := trained(t, change)
			l, p := at(t, r, runner.SplitTrain)
			if want := l.Src.Len(); p.Size != want {
				t.Errorf("the pick is of %d samples, want %d", p.Size, want)
			}
			if want := r.Meta.Steps; p.Step != want {
				t.Errorf("the pick is of step %d, want %d", p.Step, want)
			}
			if p.Dataset != name {
				t.Errorf("the pick is of the dataset %q, want %q", p.Dataset, name)
			}
			if p.Split != "train" {
				t.Errorf("the pick is of the split %q, want train", p.Split)
			}
			sizes := map[Kind]int{}
			for _, part := range p.Parts {
				sizes[part.Kind] += part.Size
				l.holds(t, p, part)
			}
			wrong := float64(p.Size) * (1 - p.Accuracy.Float())
			if sizes[All] != p.Size {
				t.Errorf("the whole has %d samples, want %d", sizes[All], p.Size)
			}
			if sizes[Class] != p.Size {
				t.Errorf("the classes have %d samples together, want %d", sizes[Class], p.Size)
			}
			if p.Groups != nil && sizes[Group] != p.Size {
				t.Errorf("the groups have %d samples together, want %d", sizes[Group], p.Size)
			}
			if math.Abs(float64(sizes[Wrong])-wrong) > .5 {
				t.Errorf("%d samples are wrong, want %v, by the accuracy", sizes[Wrong], wrong)
			}
			for k, rho := range p.Radii {
				ratios, worst, err := l.Weigh(rho)
				if err != nil {
					t.Fatal(err)
				}
				if p.Risks[k] != worst.Risk {
					t.Errorf("%s: risk %v at %v, want %v", name, p.Risks[k], rho, worst.Risk)
				}
				for _, s := range p.Samples {
					if i := slices.Index(l.Rows, s.Row); ratios[i] != s.Ratios[k] {
						t.Fatalf("%s: row %d weighs %v, want %v", name, s.Row, s.Ratios[k],
							ratios[i])
					}
				}
			}
		})
	}
}

// holds fails unless a part lists its samples of the largest losses.
func (l *View) holds(t *testing.T, p *Pick, part Part) {
	t.Helper()
	var want []int // rows
	size := 0
	for _, i := range l.Order() {
		in := map[Kind]bool{
			All:   true,
			Wrong: l.Predictions[i] != l.Labels[i],
			Class: p.Classes[l.Labels[i]] == part.Name,
			Group: p.Groups != nil && p.Groups[l.Groups[i]] == part.Name,
		}
		if !in[part.Kind] {
			continue
		}
		if size++; len(want) < len(part.Samples) {
			want = append(want, l.Rows[i])
		}
	}
	var got []int
	for _, k := range part.Samples {
		got = append(got, p.Samples[k].Row)
	}
	if !slices.Equal(got, want) || size != part.Size {
		t.Errorf("%v %q: rows %v of %d, want %v of %d", part.Kind, part.Name, got, part.Size,
			want, size)
	}
	least := min(size, mostOfPart, mostOfParts/(len(p.Classes)+len(p.Groups)))
	if len(got) < least {
		t.Errorf("%v %q: %d samples of %d", part.Kind, part.Name, len(got), size)
	}
}

// A pick of a large split is bounded in size, and its pictures and features are those of its
// samples.
func TestPickIsBounded(t *testing.T) {
	r := trained(t, func(s *spec.Spec) { shapes(s); s.Samples = 4000 })
	l, p := at(t, r, runner.SplitTrain)
	if n, most := len(p.Samples), min(2*mostOfPart+mostOfParts, p.Size-1); n > most {
		t.Errorf("%d samples of %d are kept, want at most %d", n, p.Size, most)
	}
	for _, s := range p.Samples {
		want := PictureOf(l.Src, slices.Index(l.Rows, s.Row))
		if s.Picture == nil || !slices.Equal(s.Picture.RGB, want.RGB) {
			t.Fatalf("row %d has another picture", s.Row)
		}
	}
	r = trained(t, table)
	_, p = at(t, r, runner.SplitVal)
	for _, s := range p.Samples {
		values := p.Encoder.Values(s.Features)
		if len(values) == 0 || values[0].Column != p.Encoder.Columns[0].Name {
			t.Fatalf("row %d has columns %v", s.Row, values)
		}
	}
}

// An inspection that is told to end does so before the whole split is done.
func TestProgressEnds(t *testing.T) {
	r := trained(t, shapes)
	enough, last := errors.New("enough"), 0
	how := Inspection{Threads: 1, Progress: func(done, of int) error {
		if last = done; 2*done >= of {
			return enough
		}
		return nil
	}}
	_, err := NewView(t.Context(),
		ViewOf{Run: r, Step: -1, Split: runner.SplitTrain, Inspection: how})
	if !errors.Is(err, enough) {
		t.Errorf("NewView() = %v, want %v", err, enough)
	}
	if last >= 200 {
		t.Errorf("the inspection ends after %d of 200 samples, want fewer", last)
	}
}

// logits returns W x + b.
func logits(l *dro.Layer, x []float32) []float64 {
	u := slices.Clone(l.Bias)
	for k, w := range l.Weights {
		for j, v := range x {
			u[k] += w[j] * float64(v)
		}
	}
	return u
}

func TestWhatCannotBeLookedAt(t *testing.T) {
	r := trained(t, shapes)
	for want, q := range map[string]ViewOf{
		"none such": {Run: r, Step: -1, Split: "val"},
		"expected train, test or, with val_fraction, val": {Run: r, Step: -1, Split: "\x1bodd"},
		"no checkpoint of": {Run: r, Step: 3, Split: "test"},
	} {
		t.Run(want, func(t *testing.T) {
			_, err := NewView(t.Context(), q)
			_, of := Features(t.Context(), q, []string{q.Split})
			for _, err := range []error{err, of} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%+v: %v, want %q", q, err, want)
				}
			}
		})
	}
}

// A file without splits is measured as a whole, and a note counts its training samples.
func TestTrainingSamplesInAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	write := func(path string, from, to int) {
		text := "a,b,label\n"
		for i := from; i < to; i++ {
			text += fmt.Sprintf("%d,%d.5,%d\n", i, i*7%50, i%2)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(path, 0, 200)
	r := trained(t, func(s *spec.Spec) {
		s.Dataset, s.ValFraction, s.LabelNoise = "csv:"+path, .25, .1
	})
	other := path + ".csv"
	write(other, 150, 250)
	said := func(name string) string {
		l, err := NewView(t.Context(), ViewOf{Run: r, Step: -1, Dataset: name,
			Split: runner.SplitTest, Inspection: Inspection{Threads: 2}})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		return strings.Join(l.Data.Notes, "\n")
	}
	const all = "the data have no split: all %d samples are measured, and "
	n := 0 // training samples among the rows from 150
	d, err := r.Meta.OpenFor(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for i := range d.Train.Len() {
		if data.Row(d.Train, i) >= 150 {
			n++
		}
	}
	if n == 0 || n == 50 {
		t.Fatalf("%d of the 50 rows from 150 on are training samples, want some and not all", n)
	}
	for name, want := range map[string]string{
		path:  fmt.Sprintf(all+"the network was trained on %d of them", 200, d.Train.Len()),
		other: fmt.Sprintf(all+"the network was trained on %d of them", 100, n),
	} {
		if got := said(name); !strings.Contains(got, want) {
			t.Errorf("the notes are %q, want %q among them", got, want)
		}
	}
	if got := said(path + "?test=" + other); strings.Contains(got, "no split") {
		t.Errorf("the notes on a file with a test split are %q, want none of a missing split", got)
	}
	os.Remove(path)
	if got := said(other); !strings.Contains(got, "it is unknown how many of them") {
		t.Errorf("the notes without the training file are %q, want that it is unknown", got)
	}
}
