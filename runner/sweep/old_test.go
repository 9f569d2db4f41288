package sweep

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"drolab/dro"
)

// oldList was written by a program that had no sfk-auto.
const oldList = `{"name":"mine","preset":"csv","dir":"","base":{"algorithms":["sfk","erm"],"seeds":1,"seed":1,
"epochs":2,"batch":64,"lr_drop_epoch":15,"dataset":"csv:example","model":"mlp","imbalance":"none","augment":false,
"val_fraction":0.2,"select":"val_worst","c":1000,"c_rule":2,"kappa":1,"share_batch":false},
"select":"val_worst","keys":["c"],"runs":[
{"id":"mine-sfk-s1-721de7a70a1963e7","setting":0,"algorithm":"sfk","seed":1,"values":{"c":500}},
{"id":"mine-sfk-s1-6c5d38396fe0cb97","setting":1,"algorithm":"sfk","seed":1,"values":{"c":"auto"}},
{"id":"mine-erm-s1-4e95c8118e63a14c","setting":2,"algorithm":"erm","seed":1,"values":{}}]}`

// A sweep over "c: auto" is now a sweep over methods. The folder of an older program goes on with
// the names of its runs, and its file, when started again, adds nothing.
func TestFoldersFromBeforeSFKAuto(t *testing.T) {
	const file = "preset: csv\ngrid: {c: [500, auto], algo: [sfk, erm]}\n" +
		"set: {epochs: 2, val_fraction: .2}\n"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, listName), []byte(oldList), 0o644); err != nil {
		t.Fatal(err)
	}
	// It is started twice unchanged, and then with more seeds.
	for _, seeds := range []string{"seeds: 1\n", "seeds: 1\n", "seeds: 2\n"} {
		f, err := Make(dir, []byte(file), parse(t, file+seeds).Expand())
		if err != nil {
			t.Fatal(err)
		}
		var methods []dro.Algorithm
		for i := range f.List.Runs {
			s, err := f.List.Spec(i)
			if err != nil || s.Validate() != nil || s.Algorithm() != f.List.Runs[i].Algorithm {
				t.Errorf("run %d: %v, %v of a run of %s", i, err, s.Algorithms,
					f.List.Runs[i].Algorithm)
			}
			methods = append(methods, s.Algorithm())
		}
		want := []dro.Algorithm{dro.SFK, dro.SFKAuto, dro.ERM}
		if seeds == "seeds: 2\n" {
			want = slices.Concat(want, want)
		}
		if !slices.Equal(methods, want) || f.List.Runs[1].ID != "mine-sfk-s1-6c5d38396fe0cb97" ||
			f.List.Label(&f.List.Runs[1]) != "sfk-auto" ||
			f.List.Label(&f.List.Runs[0]) != "sfk c=500" {
			text, _ := json.Marshal(f.List.Runs)
			t.Errorf("%s of %v, want %v: %s", seeds, methods, want, text)
		}
		if n := len(f.List.Runs); n == 6 && f.List.Runs[4].Setting != f.List.Runs[1].Setting {
			t.Error("another seed of a setting is a setting of its own")
		}
	}
}
