package source

import (
	"archive/zip"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
)

// Groups that training samples lack are found in every kind of file, also beside a class, another
// group, or a hold-out. Where one training sample has a group, or no other sample, the missing
// groups are a group like the others.
func TestGroupsThatTrainingLacks(t *testing.T) {
	readApart(t)
	table := func(train, val, test string) string {
		text := "x,place,night,label,split\n"
		for _, split := range []struct{ name, place string }{
			{"train", train}, {"val", val}, {"test", test}} {
			for i := range 12 {
				place := split.place
				if place == "both" {
					place = []string{"land", "water"}[i/2%2]
				}
				text += fmt.Sprintf("%d,%s,%d,%d,%s\n", i, place, i/4%2, i%2, split.name)
			}
		}
		return "csv:" + writeFile(t, "places.csv", text) +
			"?label=label&split=split&missing=category&group=place"
	}
	arrays := func(g []byte) string {
		all := sixSamples(t)
		delete(all, "h")
		all["y"] = npy(t, "<i8", "(6,)", []int64{0, 1, 1, 0, 1, 0})
		all["g"] = g
		return writeNPZ(t, zip.Store, all)
	}
	held := table("", "both", "both")
	three := []string{"(missing)", "land", "water"}
	for title, c := range map[string]struct {
		name   string
		groups []string
		want   bool
	}{
		"val and test":   {held, three, true},
		"test":           {table("", "", "both"), three, true},
		"no sample":      {table("", "", ""), []string{"(missing)"}, false},
		"all samples":    {table("both", "both", "both"), []string{"land", "water"}, false},
		"all but others": {table("both", "", ""), three, false},
		"a word":         {table("None", "both", "both"), three, true},
		"beside a class": {held + "&cells=yes", []string{"label=0 × (missing)",
			"label=0 × land", "label=0 × water", "label=1 × (missing)", "label=1 × land",
			"label=1 × water"}, true},
		"beside another group": {held + ",night", []string{"(missing) × night=0",
			"(missing) × night=1", "land × night=0", "land × night=1", "water × night=0",
			"water × night=1"}, true},
		"one training sample has a group": {
			strings.Replace(held, "split=split&", "test_fraction=.3&", 1) + "&drop=split",
			three, false},
		"texts of NumPy": {arrays(npy(t, "<U2", "(6,)", utf32(2, "", "", "a", "b", "", "a"))),
			[]string{"(missing)", "a", "b"}, true},
		"numbers of NumPy": {
			arrays(npy(t, "|i1", "(6,)", []int8{-1, -1, 0, 1, -1, 0})) + "?na=-1",
			[]string{"(missing)", "0", "1"}, true},
		"numbers without na=": {arrays(npy(t, "|i1", "(6,)", []int8{-1, -1, 0, 1, -1, 0})),
			[]string{"-1", "0", "1"}, false},
	} {
		d, err := Open(c.name, data.Options{})
		if err != nil {
			t.Errorf("%s: opening it: %v", title, err)
			continue
		}
		if got := d.Ungrouped; got != c.want {
			t.Errorf("%s: no training sample has a group: %v, want %v", title, got, c.want)
		}
		if !slices.Equal(d.Groups, c.groups) {
			t.Errorf("%s: groups %q, want %q", title, d.Groups, c.groups)
		}
		d.Close()
	}
}

// Pictures say it as tables do, in the column of their metadata.
func TestGroupsThatPicturesOfTrainingLack(t *testing.T) {
	dir := pictureFolder(t)
	d, err := Open("images:"+dir, data.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if want := []string{"(missing)", "land", "water"}; !d.Ungrouped ||
		!slices.Equal(d.Groups, want) {
		t.Errorf("no training sample has a group: %v; groups %q, want %q", d.Ungrouped, d.Groups,
			want)
	}
}

// pictureFolder makes a folder of pictures whose metadata lacks the groups of the training split.
func pictureFolder(t *testing.T) string {
	t.Helper()
	dir, text := t.TempDir(), "file,label,group,split\n"
	for i, split := range []string{"train", "train", "val", "val", "test", "test"} {
		name := fmt.Sprintf("%d.png", i)
		paint(t, filepath.Join(dir, name), 8, 8, color.Gray{Y: uint8(20 * i)})
		group := []string{"land", "water"}[i%2]
		if split == "train" {
			group = ""
		}
		text += fmt.Sprintf("%s,%d,%s,%s\n", name, i%2, group, split)
	}
	if err := os.WriteFile(filepath.Join(dir, "metadata.csv"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The errors of a missing group lead to the setting in which the data are read.
func TestMissingGroupNamesTheRemedy(t *testing.T) {
	text := "x,place,label,split\n1,,0,train\n2,,1,train\n3,land,0,test\n4,water,1,test\n"
	name := "csv:" + writeFile(t, "p.csv", text) + "?label=label&group=place&split=split"
	for suffix, want := range map[string]string{
		"": `line 2, column "place": missing value "": add missing=category for a group of its ` +
			"own, or if training samples have no groups; missing=drop leaves such lines out",
		"&missing=drop": "missing=drop has left out 2 lines: missing=category keeps samples " +
			"whose group is missing",
		"&missing=category": "",
		"&missing=mean":     "",
	} {
		d, err := Open(name+suffix, data.Options{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", suffix, err, want)
		}
		if err == nil && !d.Ungrouped {
			t.Errorf("%s: training samples have groups", suffix)
		}
		if err == nil {
			d.Close()
		}
	}
}
