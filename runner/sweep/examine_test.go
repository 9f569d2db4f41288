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
	expectSound(t, f.Dir)
	rng := rand.New(rand.NewPCG(7, 11))
	n := 0
	texts := ownTexts(t, f)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			at := count(len(text))
			if !testsize.Long() {
				drawn, seal := 20, 20 // bytes; all of the seal
				if testing.Short() {
					drawn, seal = 2, 2
				}
				last := count(len(text))[len(text)-seal:]
				rng.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
				at = append(at[:min(drawn, len(at))], last...)
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
			if err != nil {
				t.Fatal(err)
			}
			if len(list) == 0 {
				t.Fatalf("Examine() finds nothing, want the damage of %s", name)
			}
			for _, one := range list {
				if !one.Mended {
					t.Errorf("%s is not mended: %s %s", one.File, one.What, one.Failed)
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
			expectSound(t, f.Dir)
			if got, _ := os.ReadFile(filepath.Join(f.Dir, fileName)); !bytes.Equal(got, file) {
				t.Errorf("%s is %q, want %q", fileName, got, file)
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
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].File != fileName {
		t.Fatalf("Examine() finds %v, want %s alone", found(list), fileName)
	}
	want := "drolab sweep start FILE --dir DIR"
	if got := list[0].Remedy; !strings.Contains(got, want) {
		t.Errorf("the remedy is %q, want one with %q", got, want)
	}
	if got := counts(t, open(t, f.Dir)); got[Missing] != 4 {
		t.Errorf("the sweep has the runs %v, want 4 missing ones", got)
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
	list, err := Examine(a.Dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || !strings.Contains(list[0].What, "belongs elsewhere") {
		t.Errorf("Examine() finds %v, want one file that belongs elsewhere", found(list))
	}
	moved := a.Dir + "-moved" // a sweep may have any name
	if err := os.Rename(b.Dir, moved); err != nil {
		t.Fatal(err)
	}
	r, err := open(t, moved).rung(1)
	if err != nil {
		t.Fatalf("rung(1) of the renamed sweep: %v", err)
	}
	if n := len(r.Kept); n != 2 {
		t.Errorf("rung 1 of the renamed sweep keeps %d runs, want 2", n)
	}
}
