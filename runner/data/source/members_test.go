package source

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
)

// overlapping returns data sets of the same samples in three groups that overlap, in each format.
// Sample i is in group k if bit k of i%8 is set.
func overlapping(t *testing.T) map[string]string {
	t.Helper()
	const n = 48
	text := "a,male,black,\"x, y\",label,part\n"
	x, y, split, g, pair := []float32{}, []uint8{}, []uint8{}, []uint8{}, []float32{}
	for i := range n {
		text += fmt.Sprintf("%d,%d,%v.0,%v,%d,%d\n", i*i%97, i&1, i>>1&1, i>>2&1 == 1, i/8%2, i%3)
		x, y = append(x, float32(i*i%97)), append(y, uint8(i/8%2))
		split = append(split, uint8(i%3))
		g = append(g, uint8(i&1), uint8(i>>1&1), uint8(i>>2&1))
		pair = append(pair, float32(i&1), float32(i>>1&1), float32(i>>2&1))
	}
	folder := t.TempDir()
	arrays := map[string][]byte{"x": npy(t, "<f4", "(48, 1)", x), "y": npy(t, "|u1", "(48,)", y),
		"g": npy(t, "|u1", "(48, 3)", g), "split": npy(t, "|u1", "(48,)", split),
		"group_names": npy(t, "<U5", "(3,)", utf32(5, "male", "black", "x, y"))}
	floats := map[string][]byte{"x": arrays["x"], "y": arrays["y"], "split": arrays["split"],
		"g": npy(t, "<f4", "(48, 3)", pair), "group_names": arrays["group_names"]}
	for name, b := range arrays {
		if err := os.WriteFile(filepath.Join(folder, name+".npy"), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	table := writeFile(t, "o.csv", strings.ReplaceAll(text, `"x, y"`, "x y"))
	return map[string]string{
		"csv":    "csv:" + table + "?groups=male,black,x y&label=label&split=part&cells=",
		"npz":    writeNPZ(t, zip.Deflate, arrays) + "?cells=",
		"floats": writeNPZ(t, zip.Store, floats) + "?cells=",
		"npy": "npy:" + filepath.Join(folder, "x.npy") +
			"?y=y.npy&g=g.npy&group_names=group_names.npy&split=split.npy&cells=",
	}
}

// Every format gives the same memberships, read here or by another process, and after a hold-out
// and label noise. A group of a label follows the label that is trained on.
func TestOverlappingGroups(t *testing.T) {
	for format, name := range overlapping(t) {
		for _, cells := range []string{"no", "yes"} {
			for _, apart := range []bool{false, true} {
				if apart {
					readApart(t)
				}
				d, err := Open(name+cells, data.Options{Rows: true, Samples: 14, LabelNoise: .2})
				ReadApart(nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := d.Measured(); len(got) != map[string]int{"no": 3, "yes": 6}[cells] ||
					!strings.HasSuffix(got[1], "black") {
					t.Errorf("%s: measured are %q", format, got)
				}
				got := strings.Join(d.Groups, ", ")
				if !strings.HasSuffix(got, "=1 × none, label=1 × any") &&
					!strings.HasSuffix(got, "=1 × none, y=1 × any") {
					t.Errorf("%s: trained are %q", format, got)
				}
				for split, src := range map[string]data.Source{"train": d.Train, "val": d.Val,
					"test": d.Test} {
					in, counts := d.MeasuredIn(src), make([]int, len(d.Measured()))
					for i := range src.Len() {
						row := data.Row(src, i)
						var want []int
						for k := range 3 {
							if row>>k&1 == 1 {
								want = append(want, k)
								if cells == "yes" {
									want[len(want)-1] += 3 * src.Label(i)
								}
							}
						}
						some := 0
						if row%8 > 0 {
							some = 1
						}
						if !slices.Equal(in(i), want) || src.Group(i) != 2*src.Label(i)+some {
							t.Errorf("%s, %s %d: in %v and %d, want %v", format, split, i, in(i),
								src.Group(i), want)
						}
						for _, g := range want {
							counts[g]++
						}
					}
					if got := d.MeasuredCounts(src); !slices.Equal(got, counts) {
						t.Errorf("%s, %s: %v, want %v", format, split, got, counts)
					}
				}
				d.Close()
			}
		}
	}
}

// Groups to train on may be given beside groups to measure.
func TestBothKindsOfGroups(t *testing.T) {
	name := overlapping(t)["csv"] + "no"
	d, err := Open(strings.Replace(name, "male,", "", 1)+"&group=male", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if !slices.Equal(d.Groups, []string{"0", "1"}) ||
		!slices.Equal(d.Measured(), []string{"black", "x y"}) {
		t.Errorf("trains on %q, measures %q", d.Groups, d.Measured())
	}
}

// Odd groups are refused in one line that names the group and the remedy, or read as they are
// meant.
func TestOddGroups(t *testing.T) {
	table := func(column string, cells ...string) string {
		text := "x,b," + column + ",label\n"
		for i := range 40 {
			text += fmt.Sprintf("%d,%d,%s,%d\n", i, i%2, cells[i%len(cells)], i/2%2)
		}
		return "csv:" + writeFile(t, "odd.csv", text)
	}
	arrays := func(g, names []byte) string {
		all := sixSamples(t)
		delete(all, "h")
		all["g"], all["group_names"] = g, names
		return writeNPZ(t, zip.Store, all)
	}
	bits := make([]int8, 1200)
	many, wide := "x,label", make([]string, 200)
	for k := range wide {
		wide[k] = fmt.Sprintf("m%d", k)
		many += "," + wide[k]
	}
	many += "\n"
	for i := range 40 {
		many += fmt.Sprintf("%d,%d%s\n", i, i%2, strings.Repeat(",1,0", 100))
	}
	whole := npy(t, "|i1", "(6, 2)", bits[:12])
	for title, c := range map[string]struct{ name, want string }{
		"a two": {table("a", "0", "2") + "?groups=a,b",
			`group "a" has "2" for a sample: expected 1`},
		"a share": {table("a", "0", "0.5") + "?groups=a,b",
			`group "a" has "0.5" for a sample`},
		"a word": {table("a", "yes", "no") + "?groups=a,b",
			`group "a" has "yes" for a sample`},
		"a missing one": {table("a", "0", "") + "?groups=a,b",
			"line 3, column \"a\": missing value"},
		"missing, a category of its own": {table("a", "0", "NA") + "?groups=a,b&missing=category",
			"add missing=drop to leave such lines out"},
		"named twice": {table("a", "0", "1") + "?groups=a,a", `"a,a" names a column twice`},
		"unknown": {table("a", "0", "1") + "?groups=a,c",
			`no column "c": the columns are`},
		"the label": {table("a", "0", "1") + "?groups=a,label",
			"cannot be both label and group"},
		"the split": {table("a", "train", "test") + "?groups=a&split=a",
			`group "a" has "train"`},
		"dropped": {table("a", "0", "1") + "?groups=a&drop=a",
			`"a" is dropped and used`},
		"kept, no group":  {table("a", "0", "1") + "?groups=a&keep=b", "is a feature already"},
		"kept":            {table("a", "0", "1") + "?groups=a,b&keep=b", ""},
		"truth values":    {table("a", "True", "false") + "?groups=a,b", ""},
		"one column":      {table("a", "0", "1") + "?groups=a", ""},
		"nobody in it":    {table("a", "0") + "?groups=a,b", ""},
		"everybody in it": {table("a", "1") + "?groups=a", ""},
		"odd characters":  {table("a/ü (x)", "0", "1") + "?groups=a/ü (x),b", ""},
		"200 columns": {"csv:" + writeFile(t, "w.csv", many) + "?groups=" + strings.Join(wide, ","),
			""},
		"a group of twos": {arrays(npy(t, "|i1", "(6, 2)",
			[]int8{0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0}), nil),
			`group "g1" has "2"`},
		"fractions": {arrays(npy(t, "<f4", "(6, 2)",
			[]float32{0, .5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), nil),
			`group "g2": `},
		"too short": {arrays(npy(t, "|i1", "(5, 2)", bits[:10]), nil),
			"g.npy has shape [5], not one value for each of 6"},
		"of three axes": {arrays(npy(t, "|i1", "(6, 2, 1)", bits[:12]), nil),
			"shape [6 2 1], not one value for each"},
		"more names": {arrays(whole, npy(t, "<U1", "(3,)", utf32(1, "a", "b", "c"))),
			"2 groups: "},
		"names twice": {arrays(whole, npy(t, "<U1", "(2,)", utf32(1, "a", "a"))),
			`two groups are called "a"`},
		"names of classes": {
			arrays(sixSamples(t)["g"], npy(t, "<U1", "(2,)", utf32(1, "a", "b"))), ""},
		"names of no groups": {
			arrays(sixSamples(t)["g"], npy(t, "<U1", "(2,)", utf32(1, "a", "b"))) +
				"?group_names=group_names",
			"no array of groups has the shape samples × groups"},
		"no such names":  {arrays(whole, nil) + "?group_names=names", `no array "names"`},
		"without names":  {arrays(whole, nil), ""},
		"one in NPZ":     {arrays(npy(t, "|i1", "(6, 1)", []int8{0, 1, 2, 0, 1, 2}), nil), ""},
		"1200 of labels": {arrays(npy(t, "|i1", "(6, 200)", bits), nil) + "?cells=yes", ""},
	} {
		d, err := Open(c.name, data.Options{})
		if err == nil {
			d.Close()
		}
		t.Logf("%s: %v", title, err)
		if c.want != "" {
			checkError(t, title, err, c.want)
		} else if err != nil {
			t.Errorf("%s: %v, want no error", title, err)
		}
	}
}
