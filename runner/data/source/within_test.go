package source

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/runner/data"
)

// tableOf writes a table of n lines; of returns line i.
func tableOf(t *testing.T, header string, n int, of func(i int) string) string {
	t.Helper()
	text := header + "\n"
	for i := range n {
		text += of(i) + "\n"
	}
	return write(t, text)
}

// If missing=drop leaves no sample, the error names the column that has no value, and the remedy.
func TestNothingIsLeft(t *testing.T) {
	full := tableOf(t, "a,b,label", 20,
		func(i int) string { return fmt.Sprintf("%d,%d,%d", i, i%3, i%2) })
	empty := tableOf(t, "a,b,label", 20,
		func(i int) string { return fmt.Sprintf("%d,,%d", i, i%2) })
	two := tableOf(t, "a,b,c,label", 20,
		func(i int) string { return fmt.Sprintf("%d,NA,?,%d", i, i%2) })
	turns := tableOf(t, "a,b,label", 20, func(i int) string {
		return []string{"1,,0", ",1,1", "2,,1"}[i%3]
	})
	unlabelled := tableOf(t, "a,b,label", 20,
		func(i int) string { return fmt.Sprintf("%d,%d,", i, i%3) })
	model, err := Open("csv:"+full+"?missing=drop", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	for _, c := range []struct {
		name, dataset string
		o             data.Options
		want          string
	}{
		{"one column", empty + "?missing=drop", data.Options{},
			empty + ": missing=drop leaves none of 20 lines: " +
				`no line has a value of "b": leave it out with drop=b`},
		{"two columns", two + "?missing=drop", data.Options{},
			`no line has a value of "b", "c": leave it out with drop=b,c`},
		{"one is left out already", two + "?missing=drop&drop=b", data.Options{}, "drop=b,c"},
		{"each line lacks another", turns + "?missing=drop", data.Options{},
			`most often in column "b" (13 lines): ` +
				"leave such columns out with drop=b, or take missing=category"},
		{"the label", unlabelled + "?missing=drop&label=label", data.Options{},
			`no line has a value of "label": ` +
				"name another column with label=, group= or split="},
		{"the test file alone", full + "?missing=drop&test=" + empty, data.Options{},
			empty + ": missing=drop leaves none"},
		{"the training file alone", empty + "?missing=drop&test=" + full, data.Options{},
			empty + ": missing=drop leaves none"},
		{"a network's feature", empty, data.Options{Encoder: &model.Encoder},
			`no line has a value of "b", and the network takes it: add missing=mean`},
		{"a network's label", unlabelled, data.Options{Encoder: &model.Encoder},
			`no line has a value of "label": take it out of the file`},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, "csv:"+c.dataset, c.o, c.want) })
	}
	t.Run("parquet", func(t *testing.T) {
		refused(t, "parquet:"+filepath.Join(ofTests, "plain.parquet")+
			"?label=kind&drop=bytes,ordered&missing=drop",
			data.Options{}, `no line has a value of "nothing": `+
				"leave it out with drop=bytes,ordered,nothing")
	})
}

// refused fails unless opening the dataset gives an error with the given reason.
func refused(t *testing.T, dataset string, o data.Options, why string) {
	t.Helper()
	d, err := Open(dataset, o)
	if err == nil {
		d.Close()
		t.Fatalf("%s is opened, want %q", dataset, why)
	}
	if !strings.Contains(err.Error(), why) {
		t.Fatalf("%s is refused by %q, want %q", dataset, err, why)
	}
}

// A table that leaves a split or a class without samples is refused, with the remedy.
func TestOneSided(t *testing.T) {
	parts := func(train, test string) string {
		return tableOf(t, "a,part,label", 20, func(i int) string {
			part := []string{train, test}[i%2]
			return fmt.Sprintf("%d,%s,%d", i, part, i/2%2)
		})
	}
	pairs := tableOf(t, "a,g,label", 40,
		func(i int) string { return fmt.Sprintf("%d,%d,%d", i, i/4, i%2) })
	rare := tableOf(t, "a,label", 60, func(i int) string {
		return fmt.Sprintf("%d,%s", i, []string{"odd", "x", "y"}[min(i/2, 1+i%2)])
	})
	one := tableOf(t, "a,part,label", 20, func(i int) string {
		if i%2 == 0 {
			return "1,train,0"
		}
		return fmt.Sprintf("2,test,%d", i/2%2)
	})
	for _, c := range []struct {
		name, dataset string
		o             data.Options
		want          string
	}{
		{"all in training", parts("train", "train") + "?split=part", data.Options{},
			"has no test samples"},
		{"all in test", parts("test", "test") + "?split=part", data.Options{},
			"has no training samples"},
		{"all in validation", parts("val", "val") + "?split=part", data.Options{},
			"has no training samples"},
		{"one class in training", one + "?split=part", data.Options{},
			`all 10 training samples are of class "0": a training split needs two classes`},
		{"one class", tableOf(t, "a,label", 20,
			func(i int) string { return fmt.Sprintf("%d,0", i) }),
			data.Options{}, "has one value only"},
		{"nothing to train on", pairs + "?test_fraction=.999", data.Options{},
			`test_fraction=0.999 leaves a split without a sample of class "0" (n = 20): change it`},
		{"no test sample, by group or class", pairs + "?group=g&test_fraction=.01", data.Options{},
			`test_fraction=0.01 leaves a split without a sample of class "0" (n = 20): change it`},
		{"no validation sample", pairs, data.Options{ValFraction: .001},
			`val_fraction=0.001 leaves a split without a sample of class "0" (n = 16): change it`},
		{"validation alone", pairs, data.Options{ValFraction: .999},
			`val_fraction=0.999 leaves a split without a sample of class "0" (n = 16): change it`},
		{"a class too small to test", rare, data.Options{},
			`test_fraction=0.2 leaves a split without a sample of class "odd" (n = 2): change it, ` +
				"or merge the class with another, or give the test samples with test=PATH"},
		{"a class too small to validate", rare + "?test_fraction=.25",
			data.Options{ValFraction: .2},
			`val_fraction=0.2 leaves a split without a sample of class "odd" (n = 1)`},
		{"no feature", tableOf(t, "part,label", 20, func(int) string { return "train,0" }) +
			"?split=part",
			data.Options{}, "no column is left for a feature"},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, "csv:"+c.dataset, c.o, c.want) })
	}
}

// Where a part of each class and group rounds to nothing, so that a class would have no sample, the
// part is of each class, and a note says so. Means are still fitted to the training split alone.
func TestTinyStrata(t *testing.T) {
	const classes, groups, per = 100, 996, 60
	tiny := tableOf(t, "a,site,label", classes*per, func(i int) string {
		return fmt.Sprintf("%d,%d,%d", i*i%991, (37*i+i/classes)%groups, i%classes)
	})
	for _, c := range []struct {
		options        string
		val            float64
		train, of, one int // samples of a class in training, validation and test
		notes          []string
	}{
		{"?group=site", 0, 48, 0, 12, []string{"test_fraction=0.2 is a part of each class: "}},
		{"?group=site&test_fraction=.5", .1, 27, 3, 30, []string{"test_fraction=0.5 is a part of " +
			"each class: ", "val_fraction=0.1 is a part of each class: "}},
		{"", .1, 43, 5, 12, nil},
	} {
		d, err := Open("csv:"+tiny+c.options, data.Options{ValFraction: c.val})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]int{"train": c.train, "val": c.of, "test": c.one}
		for split, src := range map[string]data.Source{"train": d.Train, "val": d.Val,
			"test": d.Test} {
			if src == nil && want[split] == 0 {
				continue
			}
			for class, n := range data.ClassCounts(src, classes) {
				if n != want[split] {
					t.Fatalf("%s%s: class %d has %d samples in %s, want %d", tiny, c.options, class,
						n, split, want[split])
				}
			}
		}
		if len(d.Notes) != len(c.notes) {
			t.Errorf("%s: notes %q, want %q", c.options, d.Notes, c.notes)
		}
		for i, note := range c.notes {
			if !strings.HasPrefix(d.Notes[i], note) {
				t.Errorf("%s: note %q, want %q", c.options, d.Notes[i], note)
			}
		}
		sum, x := 0.0, make([]float32, 1)
		for i := range d.Train.Len() {
			d.Train.Read(x, i)
			sum += float64(x[0])
		}
		if mean := sum / float64(d.Train.Len()); math.Abs(mean) > 1e-5 {
			t.Errorf("%s: the training split has the mean %v", c.options, mean)
		}
		d.Close()
	}
}

// The error of a table names the file in which it is, among several.
func TestErrorNamesItsFile(t *testing.T) {
	number := func(i int) string { return fmt.Sprintf("%d,%d", i, i%2) }
	train := tableOf(t, "a,label", 300, number)
	for name, c := range map[string]struct{ test, want string }{
		"a text among numbers": {tableOf(t, "a,label", 4, func(i int) string {
			return []string{"7,0", "x,1"}[i%2]
		}), `line 3, column "a": "x" is not a number`},
		"a number too large": {tableOf(t, "a,label", 4, func(i int) string {
			return fmt.Sprintf("1e%d,0", 306+i/3)
		}),
			`column "a": 1e+306, standardised`},
		"other columns":  {write(t, "b,label\n1,0\n"), `line 1: no column "a"`},
		"too many cells": {write(t, "a,label\n1,0\n1,0,0\n"), "line 3: 3 columns"},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, "csv:"+train+"?test="+c.test, data.Options{}, c.test+": "+c.want)
		})
		t.Run(name+", of several", func(t *testing.T) {
			more := tableOf(t, "a,label", 5, number)
			refused(t, "csv:"+train+"?test="+more+"+"+c.test+"+"+more, data.Options{},
				c.test+": "+c.want)
		})
	}
	t.Run("for a network", func(t *testing.T) {
		d, err := Open("csv:"+train, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		odd := filepath.Join(t.TempDir(), "odd.csv")
		if err := os.WriteFile(odd, []byte("a,label\n1,0\nx,1\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		refused(t, "csv:"+odd, data.Options{Encoder: &d.Encoder},
			odd+`: line 3, column "a": "x" is not a number`)
	})
}
