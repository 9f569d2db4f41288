package source

import (
	"fmt"
	"testing"

	"drolab/runner/data"
)

// If the classes of the other samples differ from those of the training samples only by a point or
// a blank at the end, they are refused, in any format. They would count as separate classes, of
// which nothing is learned.
func TestClassesThatEndOtherwise(t *testing.T) {
	adult := func(end string) string {
		text := ""
		for i := range 40 {
			text += fmt.Sprintf("%d, Private, %s%s\n", 20+i, []string{"<=50K", ">50K"}[i%3/2], end)
		}
		return text
	}
	train := write(t, adult(""))
	for _, c := range []struct{ name, test, want string }{
		{"a point", adult("."),
			`"<=50K." is "<=50K" there, ">50K." is ">50K" there: add label_trim=., or write them alike`},
		{"as UCI has it", "|1x3 Cross validator\n" + adult("."), `">50K." is ">50K" there`},
		{"a semicolon", adult(" ;"), `">50K ;" is ">50K" there`},
	} {
		t.Run(c.name, func(t *testing.T) {
			test := write(t, c.test)
			dataset := "csv:" + train + "?header=none&test=" + test
			refused(t, dataset, data.Options{}, test+": the other samples have classes that the "+
				"training samples lack, but for the end: ")
			refused(t, dataset, data.Options{}, c.want)
		})
	}
	t.Run("the training file has the points", func(t *testing.T) {
		refused(t, "csv:"+write(t, adult("."))+"?header=none&test="+train, data.Options{},
			`"<=50K" is "<=50K." there`)
	})
	t.Run("a column tells the split", func(t *testing.T) {
		part := tableOf(t, "a,part,label", 40, func(i int) string {
			return fmt.Sprintf("%d,%s", i, []string{"train,x", "train,y", "val,x!", "test,y"}[i%4])
		})
		refused(t, "csv:"+part+"?split=part", data.Options{}, `"x!" is "x" there`)
	})
	t.Run("for a network", func(t *testing.T) {
		d, err := Open("csv:"+train+"?header=none", data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		refused(t, "csv:"+write(t, adult(".")), data.Options{Encoder: &d.Encoder},
			`but for the end: "<=50K." is "<=50K" there`)
	})
	t.Run("a class of its own", func(t *testing.T) {
		refused(t, "csv:"+train+"?header=none&test="+write(t, "30, Private, other\n"),
			data.Options{},
			`no training sample has class "other", found in 1 of the others`)
	})
}
