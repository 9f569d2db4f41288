package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/testsize"
)

// TestValidationIsAskedForBeforeAnythingStarts: a sweep whose runs have nothing to be selected by
// is refused with the line, the setting and the remedy.
func TestValidationIsAskedForBeforeAnythingStarts(t *testing.T) {
	base := "preset: csv\ngrid: {algo: [erm]}\n"
	for text, want := range map[string]string{
		"select: val_loss\nset: {val_fraction: .1}":  "",
		"select: val_worst\nset: {val_fraction: .3}": "",
		// The file may exist where the sweep trains.
		"set: {dataset: csv:no.csv, val_fraction: .1}\nselect: val_loss": "",
		"set: {val_fraction: 0}\nselect: val_loss": "mine.yaml:4: select: val_loss: csv:example " +
			"has no validation split to choose by: set a val_fraction above 0",
		"set: {val_fraction: 0}": "mine.yaml:3: select: val_worst: csv:example has no",

		"grid: {val_fraction: [.2, 0]}\nselect: val_loss": "has no validation split",
		"set: {val_fraction: .1, min_group: 100000}": "select: val_worst: expected two " +
			"parts of",
		"set: {dataset: csv:no.csv, val_fraction: 0}": "cannot be told",
	} {
		both := base + text + "\n"
		if strings.HasPrefix(text, "grid") {
			both = "preset: csv\n" + text
		}
		errs := parse(t, both).CheckData(t.Context(), t.TempDir(), "")
		if got := fmt.Sprint(errs); want == "" && len(errs) > 0 || !strings.Contains(got, want) {
			t.Errorf("%s:\n%s, want %q", text, got, want)
		}
		if want != "" && len(errs) != 1 {
			t.Errorf("%s: %d errors", text, len(errs))
		}
	}
}

// TestRefitLeavesNothingToChooseBy: a method that fits its last layer to the validation split is
// refused with several settings, each once, and not with one, or fitted to training samples.
func TestRefitLeavesNothingToChooseBy(t *testing.T) {
	const says = "algorithm %s: its last layer is fitted to the validation split, so nothing is " +
		"left to choose one of its 2 settings by: give it one setting, in a sweep of its own"
	for _, by := range testsize.Few(1, "val_worst", "val_loss") {
		for text, want := range map[string][]string{
			"grid: {algo: [evals, erm, scent, scdro], lr: [.1, .01]}": {fmt.Sprintf(says, "evals")},
			"grid: {algo: [afr, dfr], lr: [.1, .01]}": {
				fmt.Sprintf(says, "dfr") + ", or set dfr_split to train",
				fmt.Sprintf(says, "afr") + ", or set afr_split to train"},
			"grid: {algo: [dfr], lr: [.1, .01]}\nset: {dfr_split: train}": nil,
			"grid: {algo: [evals, dfr, erm], lr: [.1]}":                   nil,
		} {
			text = "preset: groups\n" + text + "\nselect: " + by
			errs := parse(t, text).CheckData(t.Context(), t.TempDir(), "")
			var got []string
			for _, err := range errs {
				got = append(got, strings.TrimPrefix(err.Error(), "mine.yaml:2: "))
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s\n%q, want %q", text, got, want)
			}
		}
	}
}

// TestMethodsSuitTheDataBeforeAnythingStarts: methods that read the groups of training samples are
// refused where these have none, each once, and the others of the sweep are not.
func TestMethodsSuitTheDataBeforeAnythingStarts(t *testing.T) {
	dir, text := t.TempDir(), "x,place,label,split\n"
	for i := range 90 {
		split, place := []string{"train", "val", "test"}[i/30], []string{"land", "water"}[i/2%2]
		if split == "train" {
			place = ""
		}
		text += fmt.Sprintf("%d,%s,%d,%s\n", i, place, i%2, split)
	}
	if err := os.WriteFile(filepath.Join(dir, "places.csv"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	errs := parse(t, "preset: csv\ngrid: {algo: [erm, group, dfr, subsample], lr: [.1]}\n"+
		"select: val_loss\n"+`set: {val_fraction: 0, min_group: 5, dataset: "csv:places.csv?`+
		`label=label&group=place&split=split&missing=category"}`).CheckData(t.Context(), dir, "")
	if len(errs) != 2 {
		t.Fatalf("%d errors, want 2: %v", len(errs), errs)
	}
	for i, method := range []string{"group", "subsample"} {
		want := fmt.Sprintf("mine.yaml:2: algorithm %s: it reads the groups of training samples, "+
			"and none of these has a known group", method)
		if got := errs[i].Error(); !strings.HasPrefix(got, want) {
			t.Errorf("%s, want %q", got, want)
		}
	}
}
