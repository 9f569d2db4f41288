package source

import (
	"archive/zip"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/testsize"
	"drolab/runner/data"
)

// visits is a table of visits: a patient has from one to eight, in one of five hospitals.
type visits struct{ patient, hospital, label []string }

func newVisits(patients int) (v visits) {
	rng := rand.New(rand.NewPCG(1, 2))
	for p := range patients {
		hospital := fmt.Sprint("H", rng.IntN(5))
		for range 1 + rng.IntN(8) {
			v.patient = append(v.patient, fmt.Sprintf("P%03d", p))
			v.hospital = append(v.hospital, hospital)
			v.label = append(v.label, []string{"ill", "well"}[rng.IntN(2)])
		}
	}
	rng.Shuffle(len(v.patient), func(i, j int) {
		v.patient[i], v.patient[j] = v.patient[j], v.patient[i]
		v.hospital[i], v.hospital[j] = v.hospital[j], v.hospital[i]
		v.label[i], v.label[j] = v.label[j], v.label[i]
	})
	return v
}

func (v *visits) csv(t *testing.T) string {
	return write(t, v.text())
}

func (v *visits) text() string {
	var b strings.Builder
	b.WriteString("patient,x,hospital,label\n")
	for i, p := range v.patient {
		fmt.Fprintf(&b, "%s,%d,%s,%s\n", p, i, v.hospital[i], v.label[i])
	}
	return b.String()
}

// onBothSides counts the values that samples of two splits of d have.
func onBothSides(t *testing.T, d *data.Dataset, values []string) (shared int) {
	t.Helper()
	in := map[string]map[string]bool{}
	for name, src := range map[string]data.Source{"train": d.Train, "val": d.Val, "test": d.Test} {
		if src == nil {
			continue
		}
		for i := range src.Len() {
			value := values[data.Row(src, i)]
			if in[value] == nil {
				in[value] = map[string]bool{}
			}
			in[value][name] = true
		}
	}
	for _, splits := range in {
		if len(splits) > 1 {
			shared++
		}
	}
	return shared
}

// Every split that is drawn has all rows of a patient or none, whatever the form of the data, and
// whichever process reads them. The sizes are near to the fractions, in every group.
func TestSplitBy(t *testing.T) {
	v := newVisits(300)
	csv := v.csv(t)
	n := len(v.patient)
	x := make([]float32, 2*n)
	for i := range x {
		x[i] = float32(i)
	}
	shape := fmt.Sprintf("(%d,)", n)
	npz := writeNPZ(t, zip.Store, map[string][]byte{
		"x":       npy(t, "<f4", fmt.Sprintf("(%d, 2)", n), x),
		"y":       npy(t, "<U4", shape, utf32(4, v.label...)),
		"g":       npy(t, "<U2", shape, utf32(2, v.hospital...)),
		"patient": npy(t, "<U4", shape, utf32(4, v.patient...)),
	})
	for _, apart := range []bool{false, true} {
		if apart {
			readApart(t)
		}
		for _, name := range []string{
			"csv:" + csv + "?group=hospital&split_by=patient",
			"csv:" + csv + "?group=hospital&split_by=patient&keep=patient&categories=top:5",
			"csv:" + csv + "?group=hospital&split_by=patient&drop=patient",
			"csv:" + csv + "?group=hospital&split_by=hospital+patient",
			"npz:" + npz + "?split_by=patient",
		} {
			for _, fractions := range testsize.Few(1, [2]float64{.2, .1}, [2]float64{.2, 0},
				[2]float64{.5, .25}) {
				t.Run(fmt.Sprint(apart, name, fractions), func(t *testing.T) {
					d, err := Open(fmt.Sprint(name, "&test_fraction=", fractions[0]),
						data.Options{Rows: true, ValFraction: fractions[1], Seed: 3})
					if err != nil {
						t.Fatal(err)
					}
					defer d.Close()
					if shared := onBothSides(t, d, v.patient); shared != 0 {
						t.Errorf("%d patients are in two splits, want 0", shared)
					}
					part := 0
					if d.Val != nil {
						part = d.Val.Len()
					}
					if sum := d.Train.Len() + part + d.Test.Len(); sum != n {
						t.Errorf("the splits have %d samples, want all %d", sum, n)
					}
					for g, all := range data.GroupCounts(allGroups(d), len(d.Groups)) {
						got := float64(data.GroupCounts(d.Test, len(d.Groups))[g])
						if want := fractions[0] * float64(all); math.Abs(got-want) > 2 {
							t.Errorf("group %s: %v of %d test samples, want %.1f ± 2",
								d.Groups[g], got, all, want)
						}
					}
					note := fmt.Sprintf("holds out %d of %d samples", d.Test.Len(), n)
					if !strings.Contains(strings.Join(d.Notes, "\n"), note) {
						t.Errorf("the notes are %q, want one with %q", d.Notes, note)
					}
				})
			}
		}
	}
}

// allGroups returns a source with the groups of all samples of d.
func allGroups(d *data.Dataset) data.Source {
	var all labelledGroups
	for _, src := range []data.Source{d.Train, d.Val, d.Test} {
		if src == nil {
			continue
		}
		for i := range src.Len() {
			all = append(all, src.Group(i))
		}
	}
	return all
}

type labelledGroups []int

func (l labelledGroups) Len() int            { return len(l) }
func (l labelledGroups) Shape() data.Shape   { return data.Shape{C: 1, H: 1, W: 1} }
func (l labelledGroups) Label(i int) int     { return l[i] }
func (l labelledGroups) Group(i int) int     { return l[i] }
func (l labelledGroups) Read([]float32, int) {}

// Pictures stay together by a column of their table.
func TestSplitByOfPictures(t *testing.T) {
	dir := classFolders(t)
	table := "file,label,patient\n"
	var patients []string
	for i, name := range []string{"a", "b", "c", "d"} {
		patient := fmt.Sprint("P", i)
		table += fmt.Sprintf("red/%[1]s.png,warm,%[2]s\nblue/%[1]s.png,cold,%[2]s\n", name, patient)
		patients = append(patients, patient, patient)
	}
	if err := os.WriteFile(filepath.Join(dir, "metadata.csv"), []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := Open("images:"+dir+"?size=4&split_by=patient&test_fraction=.25",
		data.Options{Dir: t.TempDir(), ValFraction: .3})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	checkLengths(t, "split_by=patient", d, 4, 2, 2)
	if shared := onBothSides(t, d, patients); shared != 0 {
		t.Errorf("%d patients are in two splits, want 0", shared)
	}
	refused(t, "images:"+dir+"?size=4&split_by=nobody", data.Options{Dir: t.TempDir()},
		`split_by=nobody: no column "nobody": the columns are ["file" "label" "patient"]`)
}

// With two keys, no value of either is in two splits.
func TestSplitByTwoKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var patients, families []string
	text := "patient,family,x,label\n"
	for i := range 600 {
		family := rng.IntN(150)
		// A patient may marry into the next family.
		patient := fmt.Sprint("P", 3*family+rng.IntN(3))
		if rng.IntN(40) == 0 {
			family++
		}
		patients, families = append(patients, patient), append(families, fmt.Sprint("F", family))
		text += fmt.Sprintf("%s,F%d,%d,%d\n", patient, family, i, rng.IntN(2))
	}
	d, err := Open("csv:"+write(t, text)+"?split_by=patient,family",
		data.Options{Rows: true, ValFraction: .2})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for name, values := range map[string][]string{"patients": patients, "families": families} {
		if shared := onBothSides(t, d, values); shared != 0 {
			t.Errorf("%d %s are in two splits, want 0", shared, name)
		}
	}
	if n := d.Test.Len(); n < 115 || n > 125 {
		t.Errorf("%d test samples, want about 120", n)
	}
}

// A key with half of all rows is on one side, and the other keys fill the other.
func TestSplitByOneLargeKey(t *testing.T) {
	text := "patient,x,label\n"
	for i := range 200 {
		patient := "P0"
		if i%2 == 0 {
			patient = fmt.Sprint("P", 1+i/10)
		}
		text += fmt.Sprintf("%s,%d,%d\n", patient, i, i/2%2)
	}
	path := write(t, text)
	for fraction, want := range map[float64]int{.1: 20, .2: 40, .3: 60, .5: 100, .7: 140} {
		d, err := Open(fmt.Sprint("csv:", path, "?split_by=patient&test_fraction=", fraction),
			data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Test.Len(); math.Abs(float64(got-want)) > 3 {
			t.Errorf("test_fraction=%v holds out %d samples, want %d ± 3", fraction, got, want)
		}
		d.Close()
	}
}

// Rows without a key, and given splits that divide a key, are refused.
func TestSplitByRefused(t *testing.T) {
	v := newVisits(40)
	v.patient[7] = ""
	lacking := v.csv(t)
	refused(t, "csv:"+lacking+"?split_by=patient", data.Options{},
		`line 9, column "patient": missing value "": add missing=drop to leave such lines out`)
	refused(t, "csv:"+lacking+"?split_by=patient&missing=category", data.Options{}, `line 9, column "patient"`)
	d, err := Open("csv:"+lacking+"?split_by=patient&missing=drop", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Train.Len() + d.Test.Len(); got != len(v.patient)-1 {
		t.Errorf("%d samples, want %d", got, len(v.patient)-1)
	}
	d.Close()
	divided := write(t, "id,x,label,part\n"+
		"a,1,0,train\na,2,1,train\nb,3,0,val\nc,4,0,test\na,5,1,test\nb,6,1,test\n")
	refused(t, "csv:"+divided+"?split_by=id&split=part", data.Options{},
		`2 of the 3 values of "id" have samples in two splits (the first is "a", in train and test): `+
			"split_by= wants each in one: mend the splits, or leave split_by= out")
	one, other := write(t, "id,x,label\na,1,0\nb,2,1\n"), write(t, "id,x,label\nc,1,0\na,2,1\n")
	refused(t, "csv:"+one+"?split_by=id&test="+other, data.Options{},
		`1 of the 3 values of "id" have samples in two splits (the first is "a", in train and test)`)
	floats := write(t, "id,x,label\n1,1,0\n2,2,1\n")
	other = write(t, "id,x,label\n3.0,1,0\n2.0,2,1\n")
	refused(t, "csv:"+floats+"?split_by=id&test="+other, data.Options{},
		`the first is "2", in train and test`)
	refused(t, "csv:"+one+"?split_by=person", data.Options{}, `no column "person"`)
	refused(t, "csv:"+one+"?split_by=id&test_fraction=.5", data.Options{},
		"test_fraction=0.5 leaves a "+
			`split without a sample of class "0" (n = 1) while split_by=id keeps samples together`)
}

// Where all divisions can be tried, the one that is drawn is the nearest or close to it.
func TestNearestDivision(t *testing.T) {
	const cases = 300
	rng := rand.New(rand.NewPCG(5, 6))
	nearest, far := 0, 0.0
	for range cases {
		var src labelled
		var keys []uint32
		count := 3 + rng.IntN(8)
		for k := range count {
			for range 1 + rng.IntN(12) {
				src, keys = append(src, rng.IntN(2)), append(keys, uint32(k))
			}
		}
		fraction := []float64{.1, .2, .3, .5}[rng.IntN(4)]
		all := data.Indices(0, len(src))
		_, held := data.HoldOutKeys(src, data.Strata{Classes: 2}, all, keys, fraction,
			rng.Uint64())
		is := uint(0)
		for _, i := range held {
			is |= 1 << keys[i]
		}
		got, best := distance(src, keys, is, fraction), math.Inf(1)
		for mask := range uint(1) << count {
			best = min(best, distance(src, keys, mask, fraction))
		}
		if got <= best+1e-9 {
			nearest++
		}
		far = max(far, got-best)
	}
	if nearest < cases*99/100 || far > .01 {
		t.Errorf("%d of %d divisions are the nearest, and one is %.3g farther: want 99 %% and .01",
			nearest, cases, far)
	}
}

// distance returns the distance of a division from a fraction: the held keys are the bits of mask.
func distance(src labelled, keys []uint32, mask uint, fraction float64) (sum float64) {
	var size, held [2]float64
	for i, label := range src {
		size[label]++
		if mask>>keys[i]&1 == 1 {
			held[label]++
		}
	}
	for c, n := range size {
		if n > 0 {
			sum += (held[c] - fraction*n) * (held[c] - fraction*n) / n
		}
	}
	return sum
}

// The same seed draws the same division, and other seeds draw others: each key is held about as
// often as any other.
func TestDivisionsAreDrawn(t *testing.T) {
	v := newVisits(60)
	code := map[string]uint32{}
	var keys []uint32
	src := make(labelled, len(v.patient))
	for _, p := range v.patient {
		if _, known := code[p]; !known {
			code[p] = uint32(len(code))
		}
		keys = append(keys, code[p])
	}
	all := data.Indices(0, len(src))
	draw := func(seed uint64) []uint32 {
		_, held := data.HoldOutKeys(src, data.Strata{Classes: 1}, all, keys, .2, seed)
		return held
	}
	if !slices.Equal(draw(1), draw(1)) || slices.Equal(draw(1), draw(2)) {
		t.Errorf("seeds 1, 1 and 2 give the divisions %v, %v and %v, want two the same", draw(1),
			draw(1), draw(2))
	}
	const seeds = 500
	times := make([]float64, len(code))
	for seed := range uint64(seeds) {
		seen := map[uint32]bool{}
		for _, i := range draw(seed) {
			seen[keys[i]] = true
		}
		for k := range seen {
			times[k]++
		}
	}
	for k, n := range times {
		if share := n / seeds; share < .12 || share > .28 {
			t.Errorf("key %d is held by %.3f of the seeds, want about .2", k, share)
		}
	}
}
