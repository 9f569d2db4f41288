package sweep

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/testsize"
)

// TestFlips: when any byte of any file of a sweep changes, the file is named. The table is what it
// was, or an error.
func TestFlips(t *testing.T) {
	f := written(t)
	want, err := shown(f.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := Examine(f.Dir, false); err != nil || len(list) > 0 {
		t.Fatal(err, found(list))
	}
	rng := rand.New(rand.NewPCG(7, 11))
	n := 0
	texts := ownTexts(t, f)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			at := count(len(text))
			if !testsize.Long() {
				rng.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
				seal := count(len(text))[len(text)-20:] // every byte of it
				at = append(at[:min(20, len(at))], seal...)
			}
			for _, i := range at {
				n++
				flip(t, f, name, text, i, byte(1+rng.IntN(255)), want)
			}
		})
	}
	t.Logf("%d bytes", n)
}

// TestMendLosesNothing: a damaged file is kept unchanged in .set-aside, the next start makes it
// anew, and no finished run is touched.
func TestMendLosesNothing(t *testing.T) {
	f := written(t)
	before := logs(t, f)
	texts := ownTexts(t, f)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			harmed := bytes.Replace(text, []byte("e"), []byte("E"), 1)
			put(t, filepath.Join(f.Dir, name), harmed)
			list, err := Examine(f.Dir, true)
			if err != nil || len(list) == 0 {
				t.Fatal(err, list)
			}
			for _, one := range list {
				if !one.Mended {
					t.Error(found(list))
				}
			}
			if !keptAside(t, f.Dir, harmed) {
				t.Error("what was there is lost")
			}
			file := f.List.File
			if f, err = Make(f.Dir, file, parse(t, string(file)).Expand()); err != nil {
				t.Fatal(err)
			}
			work(t, f)
			if list, err := Examine(f.Dir, false); err != nil || len(list) > 0 {
				t.Error(err, found(list))
			}
			if got, _ := os.ReadFile(filepath.Join(f.Dir, fileName)); !bytes.Equal(got, file) {
				t.Errorf("the file is %q", got)
			}
		})
	}
	after := logs(t, f)
	for _, r := range f.List.Runs {
		if strings.Contains(before[r.ID], `"status":"done"`) && before[r.ID] != after[r.ID] {
			t.Errorf("%s was done, and is another", r.ID)
		}
	}
}

// TestAFileThatIsEdited: when a person changes the sweep file in the folder, the file is named and
// the sweep goes on as it was started. A start with the new file adds its runs.
func TestAFileThatIsEdited(t *testing.T) {
	f := made(t, fewer)
	path := filepath.Join(f.Dir, fileName)
	put(t, path, []byte(more))
	list, err := Examine(f.Dir, false)
	if err != nil || len(list) != 1 || list[0].File != fileName ||
		!strings.Contains(list[0].Remedy, "drolab sweep start FILE --dir DIR") {
		t.Fatal(err, found(list))
	}
	if got := counts(t, open(t, f.Dir)); got[Missing] != 4 {
		t.Errorf("the sweep has %v", got)
	}
	if _, err := Make(f.Dir, []byte(more), parse(t, more).Expand()); err != nil {
		t.Fatal(err)
	}
	oneSweep(t, f.Dir, 6, Missing)
}

// TestFilesOfAnotherSweep: the files of one sweep in the place of another's are named.
func TestFilesOfAnotherSweep(t *testing.T) {
	text := fewer + "halving: {epochs: [1], keep: .5}\n"
	a, b := made(t, text), made(t, text)
	for _, f := range []*Folder{a, b} {
		if err := f.files.Write(f.rungPath(1), &rung{Epochs: 1, Kept: []int{0, 1}}); err != nil {
			t.Fatal(err)
		}
	}
	other, err := os.ReadFile(b.rungPath(1))
	if err != nil {
		t.Fatal(err)
	}
	put(t, a.rungPath(1), other)
	if _, err := a.rung(1); err == nil || !strings.Contains(err.Error(), b.List.ID) {
		t.Errorf("a rung of another sweep is read: %v", err)
	}
	if list, err := Examine(a.Dir, false); err != nil || len(list) != 1 ||
		!strings.Contains(list[0].What, "belongs elsewhere") {
		t.Error(err, found(list))
	}
	moved := a.Dir + "-moved" // a sweep may have any name
	if err := os.Rename(b.Dir, moved); err != nil {
		t.Fatal(err)
	}
	if r, err := open(t, moved).rung(1); err != nil || len(r.Kept) != 2 {
		t.Errorf("moved: %+v, %v", r, err)
	}
}
