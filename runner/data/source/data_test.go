package source

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"drolab/runner/data"
	"drolab/runner/data/synthetic"
)

// labelled is a source whose samples have one value, the sample's index. The label of sample i is
// labels[i], and its group is the label modulo 2.
type labelled []int

func (s labelled) Len() int                  { return len(s) }
func (s labelled) Shape() data.Shape         { return data.Shape{C: 1, H: 1, W: 1} }
func (s labelled) Label(i int) int           { return s[i] }
func (s labelled) Group(i int) int           { return s[i] % 2 }
func (s labelled) Read(dst []float32, i int) { dst[0] = float32(i) }

func TestPaperImbalanceCounts(t *testing.T) {
	d, err := Open("shapes", data.Options{Samples: 50000, Imbalance: data.PaperImbalance()})
	if err != nil {
		t.Fatal(err)
	}
	want := []int{4020, 2715, 4985, 2965, 1950, 1425, 4795, 4030, 4835, 3300}
	if got := data.ClassCounts(d.Train, 10); !slices.Equal(got, want) {
		t.Errorf("training counts %v, want %v", got, want)
	}
	if d.Train.Len() != 35020 {
		t.Errorf("%d training samples, want 35020", d.Train.Len())
	}
	for c, n := range data.ClassCounts(d.Test, 10) {
		if n != synthetic.ShapesTest/10 {
			t.Errorf("class %d has %d test samples, want %d", c, n, synthetic.ShapesTest/10)
		}
	}
}

// A drawn imbalance keeps as many samples of each class, in the order of the file. The seed of the
// draw alone says which: over many seeds, every sample of a class is kept equally often.
func TestDrawnImbalance(t *testing.T) {
	src := labelled(slices.Repeat([]int{0, 1}, 20))
	draw := func(seed uint64) []uint32 {
		d := &data.Dataset{Classes: []string{"a", "b"}, Train: src}
		o := data.Options{Imbalance: []float64{.25, .6}, Drawn: true, DrawSeed: seed}
		if err := d.Restrict(o); err != nil {
			t.Fatal(err)
		}
		return d.Train.(*data.Subset).Index
	}
	const seeds = 4000
	kept := make([]int, src.Len())
	for seed := range uint64(seeds) {
		index, counts := draw(seed), [2]int{}
		for _, i := range index {
			kept[i]++
			counts[src.Label(int(i))]++
		}
		if counts != [2]int{5, 12} || !slices.IsSorted(index) {
			t.Fatalf("seed %d keeps %v", seed, index)
		}
	}
	for i, n := range kept {
		share := []float64{.25, .6}[src.Label(i)]
		if got := float64(n) / seeds; math.Abs(got-share) > .035 { // 4.5 standard errors
			t.Errorf("sample %d is kept by %.3f of the seeds, want %v", i, got, share)
		}
	}
	if slices.Equal(draw(1), draw(2)) {
		t.Errorf("seeds 1 and 2 keep the same samples, %v", draw(1))
	}
	if a, b := draw(1), draw(1); !slices.Equal(a, b) {
		t.Errorf("seed 1 keeps %v, and again %v", a, b)
	}
}

func TestRestrictKeepsTheFirstOfEachClass(t *testing.T) {
	src := labelled{0, 1, 0, 0, 1, 1, 0, 1, 0, 1} // five of each
	tests := []struct {
		name  string
		limit int
		ratio []float64
		want  []uint32
	}{
		{"nothing", 0, nil, nil},
		{"cap above", 11, nil, nil},
		{"cap", 6, nil, []uint32{0, 1, 2, 3, 4, 5}},
		{"cap rounds down", 5, nil, []uint32{0, 1, 2, 4}},
		{"imbalance rounds", 0, []float64{.5, .29}, []uint32{0, 1, 2, 3}}, // 2.5 to 3, 1.45 to 1
		{"both", 8, []float64{.25, 1}, []uint32{0, 1, 4, 5, 7}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := &data.Dataset{Classes: []string{"a", "b"}, Train: src}
			if err := d.Restrict(data.Options{Samples: tt.limit, Imbalance: tt.ratio}); err != nil {
				t.Fatal(err)
			}
			var got []uint32
			if s, ok := d.Train.(*data.Subset); ok {
				got = s.Index
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("kept %v, want %v", got, tt.want)
			}
		})
	}
}

func TestSubsetReadsThrough(t *testing.T) {
	s := data.SubsetOf(labelled{3, 4, 5, 6}, []uint32{2, 0})
	if s.Len() != 2 {
		t.Fatalf("the subset has %d samples, want 2", s.Len())
	}
	if got, want := [...]int{s.Label(0), s.Label(1)}, [...]int{5, 3}; got != want {
		t.Errorf("the labels are %v, want %v", got, want)
	}
	if got := s.Group(0); got != 1 {
		t.Errorf("the group of sample 0 is %d, want 1", got)
	}
	if got := valuesOf(s, 0)[0]; got != 2 {
		t.Errorf("the value of sample 0 is %v, want 2", got)
	}
}

func TestHoldOut(t *testing.T) {
	src := make(labelled, 1000)
	for i := range src {
		src[i] = i % 10 / 7 // 700 of class 0, 300 of class 1
	}
	all := data.Indices(0, 1000)
	rest, held := data.HoldOut(src, data.Strata{Classes: 2}, all, .1, 7)
	counts := data.ClassCounts(data.SubsetOf(src, held), 2)
	if !slices.Equal(counts, []int{70, 30}) {
		t.Errorf("held out %v, want [70 30]", counts)
	}
	both := slices.Concat(rest, held)
	slices.Sort(both)
	if !slices.Equal(both, all) {
		t.Error("rest and held are not the whole index together")
	}
	if !slices.IsSorted(rest) {
		t.Errorf("the rest is not in order: %v", rest)
	}
	if !slices.IsSorted(held) {
		t.Errorf("the held part is not in order: %v", held)
	}
	_, again := data.HoldOut(src, data.Strata{Classes: 2}, all, .1, 7)
	_, other := data.HoldOut(src, data.Strata{Classes: 2}, all, .1, 8)
	if !slices.Equal(held, again) {
		t.Errorf("with the same seed %v are held out, want %v", again, held)
	}
	if slices.Equal(held, other) {
		t.Errorf("with another seed the same are held out: %v", other)
	}
}

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name string
		o    data.Options
		want string
	}{
		{"nonsense", data.Options{}, "unknown name"},
		{"shapes", data.Options{Samples: -1}, "samples is -1"},
		{"shapes", data.Options{Difficulty: 1.5}, "difficulty is 1.5"},
		{"shapes", data.Options{Difficulty: math.NaN()}, "difficulty is NaN"},
		{"shapes", data.Options{ValFraction: 1}, "val_fraction is 1"},
		{"shapes", data.Options{Imbalance: []float64{0}}, "imbalance of class 0 is 0"},
		{"shapes", data.Options{Imbalance: []float64{.5}}, "1 ratios for 10 classes"},
		{"shapes", data.Options{Samples: 1, Imbalance: slices.Repeat([]float64{.1}, 10)},
			"no training samples"},
		{"csv:", data.Options{}, "no path"},
		{"csv:x.csv?lable=y", data.Options{}, `unknown option "lable"`},
	}
	for _, tt := range tests {
		_, err := Open(tt.name, tt.o)
		checkError(t, fmt.Sprintf("Open(%q, %+v)", tt.name, tt.o), err, tt.want, tt.name)
	}
}

func TestMissing(t *testing.T) {
	dir := t.TempDir()
	for name, remedy := range map[string]string{
		"cifar10": "drolab data fetch cifar10", "mnist": "drolab data fetch mnist",
		"fashion-mnist": "drolab data fetch fashion-mnist",
		"idx:" + dir:    "put the four", dir + "/none.csv": "check the path",
	} {
		_, err := Open(name, data.Options{Dir: dir})
		var m *data.MissingError
		if !errors.As(err, &m) {
			t.Errorf("Open(%q) gives %v, want a *MissingError", name, err)
			continue
		}
		if m.Dataset != name {
			t.Errorf("Open(%q): the error is of %q", name, m.Dataset)
		}
		if !strings.Contains(m.Path, dir) {
			t.Errorf("Open(%q): the error is about %q, want the folder %q", name, m.Path, dir)
		}
		if !strings.Contains(err.Error(), remedy) {
			t.Errorf("Open(%q): error %q, want the remedy %q", name, err, remedy)
		}
	}
}

func TestCatalogue(t *testing.T) {
	dir := t.TempDir()
	for _, name := range Names() {
		e, err := Info(name, dir)
		if err != nil {
			t.Fatalf("Info(%q): %v", name, err)
		}
		if e.Name != name || e.Purpose == "" {
			t.Errorf("Info(%q) = %+v, want that name and a purpose", name, e)
		}
		d, err := Open(name, data.Options{Dir: dir, Samples: 100})
		if (err == nil) != e.Available {
			t.Errorf("Info(%q): available %t, but Open gives %v", name, e.Available, err)
		}
		if e.Available != (e.Path == "") {
			t.Errorf("Info(%q): available %t, and looked for in %q", name, e.Available, e.Path)
		}
		if e.Available != (e.Download == 0) {
			t.Errorf("Info(%q): available %t, and a download of %d bytes", name, e.Available,
				e.Download)
		}
		if err == nil && d.Close() != nil {
			t.Errorf("closing %s fails", name)
		}
	}
	if _, err := Info("nonsense", dir); err == nil {
		t.Error("Info of an unknown name gives no error")
	}
}

func TestValidationSplitOfShapes(t *testing.T) {
	d, err := Open("shapes", data.Options{Samples: 500, ValFraction: .2})
	if err != nil {
		t.Fatal(err)
	}
	checkLengths(t, "shapes", d, 400, 100, synthetic.ShapesTest)
	for c, n := range data.ClassCounts(d.Val, 10) {
		if n != 10 {
			t.Errorf("class %d has %d validation samples, want 10", c, n)
		}
	}
}

// The length of an error is bounded, whatever names the files give it, and the error still wraps
// its cause.
func TestErrorsHaveABound(t *testing.T) {
	remove := Register(data.Provider{Name: "endless",
		Open: func(string, data.Options) (*data.Dataset, error) {
			return nil, fmt.Errorf("first %s: %w", strings.Repeat("é, ", 1<<20), os.ErrInvalid)
		}})
	defer remove()
	_, err := Open("endless", data.Options{})
	if !errors.Is(err, os.ErrInvalid) {
		t.Errorf("error %.40v, want one that wraps %v", err, os.ErrInvalid)
	}
	text := fmt.Sprint(err)
	if len(text) > maxError+10 {
		t.Errorf("the error has %d bytes, want at most %d", len(text), maxError+10)
	}
	if !utf8.ValidString(text) {
		t.Errorf("the error is not UTF-8: %q", text)
	}
	if begin := "dataset endless: first é"; !strings.HasPrefix(text, begin) {
		t.Errorf("the error begins with %.40q, want %q", text, begin)
	}
	if end := "invalid argument"; !strings.HasSuffix(text, end) {
		t.Errorf("the error ends with %q, want %q", text[max(0, len(text)-40):], end)
	}
}
