package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
)

func TestPrintError(t *testing.T) {
	var b bytes.Buffer
	PrintError(&b, Failures{errors.New("one\nand more"), errors.New("two")})
	if want := "drolab: one; and more\ndrolab: two\n"; b.String() != want {
		t.Errorf("printed %q, want %q", b.String(), want)
	}
	if (Failures{}).OrNil() != nil {
		t.Error("no failure is an error")
	}
}

func TestGrid(t *testing.T) {
	var b bytes.Buffer
	table := page.New("", "sfk")
	table.Add("η", "1")
	table.Add("robust", "12345")
	Blocks(&b, table)
	if want := "          sfk\nη           1\nrobust  12345\n"; b.String() != want {
		t.Errorf("grid:\n%s\nwant\n%s", b.String(), want)
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Percent(measure.Num(.1234)), "12.3 %"}, {Percent(measure.Number{}), "–"},
		{Short(measure.Num(1.23456)), "1.235"}, {Short(measure.Number{}), "–"},
		{Whole(measure.Num(1234.5)), "1234"}, {Whole(measure.Number{}), "–"},
		{kit.Plural(1, "run"), "1 run"}, {kit.Plural(2, "run"), "2 runs"},
		{Bar(1, 2, 10, false), "━━━━━─────"},
		{Bar(3, 2, 4, true), "####"}, {Bar(1, 0, 4, true), "...."},
		{Short(measure.Least([]measure.Number{{}, measure.Num(3), measure.Num(2)})), "2"},
		{Short(measure.Least(nil)), "–"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

func TestSayingSteersNoTerminal(t *testing.T) {
	var out bytes.Buffer
	c := New(Env{Stdout: &out})
	c.PrintLine("run %s is %s", "x\x1b[2J", "failed: a\nb\u202e")
	if want := "run x\\x1b[2J is failed: a; b?\n"; out.String() != want {
		t.Errorf("said %q, want %q", out.String(), want)
	}
}

// TestJSONMeansTheSame: a text that is escaped in JSON is read back unchanged.
func TestJSONMeansTheSame(t *testing.T) {
	text := "é\n\t\"" + tuitest.Poison + "\U000e0041"
	var out bytes.Buffer
	if err := New(Env{Stdout: &out}).JSON(map[string]string{"a": text}); err != nil {
		t.Fatal(err)
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["a"] != text {
		t.Errorf("%q comes back as %q", text, back["a"])
	}
}
