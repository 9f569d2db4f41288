package look

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseLosses(t *testing.T) {
	for _, c := range []struct{ text, column, want string }{
		{"1\n2.5\n", "", "[1 2.5]"},
		{"\n# comment\n1e-3\n 2 \n", "", "[0.001 2]"},
		{"loss\n1\n", "", "[1]"},
		{"a,loss\nx,1\ny,2\n", "", "[1 2]"},
		{"a,b\n3,1\n", "a", "[3]"},
		{"a,b\n3,1\n", "2", "[1]"},
		{"3,1\n4,2\n", "2", "[1 2]"},
		{"1\n\"2\"\n", "", "[1 2]"},
	} {
		got, err := parseLosses(strings.NewReader(c.text), c.column)
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("parseLosses(%q, %q) = %v, %v, want %s", c.text, c.column, got, err, c.want)
		}
	}
	for _, c := range []struct{ text, column, want string }{
		{"", "", "no losses"},
		{"loss\n", "", "no losses"},
		{"1\n\n\nx\n", "", "line 4"},
		{"1x\n", "", "line 1"},
		{"1\n+Inf\n", "", "line 2"},
		{"1\n1e999\n", "", "line 2"},
		{"1,2\n", "", "no column \"loss\""},
		{"a,b\n1,2\n", "c", "no column \"c\""},
		{"a,b\n1,2\n", "3", "no column \"3\""},
		{"1,2\n", "0", "no column"},
		{"1\n\"2\n", "", "line 2"},
		{"a,loss\n1,2\n3\n", "", "line 3: wrong number of fields"},
	} {
		_, err := parseLosses(strings.NewReader(c.text), c.column)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("parseLosses(%q, %q): %v, want %q", c.text, c.column, err, c.want)
		}
	}
}

func FuzzParseLosses(f *testing.F) {
	f.Add("1\n2\n", "")
	f.Add("a,loss\n1,2\n", "loss")
	f.Add("\"", "1")
	f.Fuzz(func(t *testing.T, text, column string) {
		losses, err := parseLosses(strings.NewReader(text), column)
		if (err == nil) != (len(losses) > 0) {
			t.Errorf("%d losses, error %v", len(losses), err)
		}
		for _, l := range losses {
			if !(l >= 0) {
				t.Errorf("loss %v got through", l)
			}
		}
	})
}
