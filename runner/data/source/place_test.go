package source

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"drolab/runner/data"
)

// A network that was trained on a file without a header takes files with a header, by the places of
// the columns.
func TestHeaderForColumnsByPlace(t *testing.T) {
	body := ""
	for i := range 40 {
		body += fmt.Sprintf("%d,%s,%s,%d\n", i, []string{"red", "blue"}[i%2],
			[]string{"u", "v"}[i%3/2], i%2)
	}
	train, err := Open("csv:"+write(t, body)+"?header=none&label=c4&group=c3", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer train.Close()
	var e data.Encoder // through JSON, as a run keeps it
	if b, err := json.Marshal(train.Encoder); err != nil || json.Unmarshal(b, &e) != nil {
		t.Fatal(err)
	}
	want, err := Open("csv:"+write(t, body), data.Options{Encoder: &e, Rows: true})
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	bare := ""
	for line := range strings.Lines(body) {
		bare += line[:strings.LastIndexByte(line, ',')] + "\n"
	}
	for _, c := range []struct {
		name, text, options, note string
		samples                   int
	}{
		{"none", body, "", "", 40},
		{"one", "age,colour,part,income\n" + body, "", "the first line names the columns", 40},
		{"one that is stated", "age,colour,part,income\n" + body, "?header=yes", "", 40},
		{"numbers as names", "age,1,2,3\n" + body, "", "the first line names the columns", 40},
		{"one, and no labels", "age,colour,part\n" + bare, "",
			`no column "c4": the samples have no labels`, 40},
		{"a first sample of an unknown category", "7,green,u,1\n" + body, "",
			`column "c2": a category`, 41},
		{"a first sample without values", "?,?,u,1\n" + body, "?missing=mean", "", 41},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := Open("csv:"+write(t, c.text)+c.options, data.Options{Encoder: &e, Rows: true})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			notes := strings.Join(d.Notes, "; ")
			if !strings.Contains(notes, c.note) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
			known := notes == "" || strings.Contains(notes, "lacks counts as none")
			if c.note == "" && !known {
				t.Errorf("notes %q, want none but of categories that the training split lacks",
					notes)
			}
			if d.Test.Len() != c.samples {
				t.Fatalf("%d samples, want %d", d.Test.Len(), c.samples)
			}
			x, y := make([]float32, d.Shape.Len()), make([]float32, d.Shape.Len())
			for i := range 40 {
				j := d.Test.Len() - 40 + i
				d.Test.Read(x, j)
				want.Test.Read(y, i)
				if !slices.Equal(x, y) {
					t.Fatalf("sample %d is %v, want %v", j, x, y)
				}
				if a, b := d.Test.Label(j), want.Test.Label(i); !d.Unlabelled && a != b {
					t.Fatalf("sample %d has label %d, want %d", j, a, b)
				}
				if a, b := d.Test.Group(j), want.Test.Group(i); a != b {
					t.Fatalf("sample %d has group %d, want %d", j, a, b)
				}
			}
		})
	}
}
