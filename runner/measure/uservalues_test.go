package measure

import (
	"strings"
	"testing"

	"drolab/dro"
)

// The name of a program's own measure is kept or made printable, and never is the name of another
// measure.
func TestUserName(t *testing.T) {
	for said, want := range map[string]string{
		"tokens":                      "user.tokens",
		"val/acc@5":                   "user.val/acc@5",
		"точность":                    "user.точность",
		"a b":                         "user.a_b",
		"\x1b[31mred\u202e":           "user._[31mred_",
		"\"x\\,y=1":                   "user._x__y_1",
		"\xff":                        "user._",
		strings.Repeat("é", 40):       "user." + strings.Repeat("é", 32),
		"e" + strings.Repeat("é", 40): "user.e" + strings.Repeat("é", 31),
	} {
		got, err := UserName(said)
		if err != nil || got != want {
			t.Errorf("UserName(%q) = %q, %v, want %q", said, got, err, want)
		}
		if !IsUser(got) {
			t.Errorf("IsUser(%q) = false, want true", got)
		}
		m, ok := FindMeasure(got)
		if !ok {
			t.Errorf("FindMeasure(%q) finds nothing", got)
		}
		if !m.OfStep() {
			t.Errorf("the measure %q is of evaluations, want of steps", got)
		}
		if m.Better != dro.Neither {
			t.Errorf("the measure %q has the better side %v, want neither", got, m.Better)
		}
	}
	if _, err := UserName(""); err == nil {
		t.Error("a value without a name is taken")
	}
	for _, name := range []string{"loss", "user.", "user.a b", "user.\x1b[2J", "user.\u202e",
		"user." + strings.Repeat("a", 65)} {
		if IsUser(name) {
			t.Errorf("IsUser(%q) = true, want false", name)
		}
	}
}

// Names that no program of ours writes are passed over, and the others are read.
func TestUserOfFiles(t *testing.T) {
	var v Values
	if err := v.UnmarshalJSON([]byte(
		`{"loss":1,"user.a":2,"user.b c":3,"user.\u001b":4,"user.":5,"user.d":null}`)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(v.Names(), " "); got != "loss user.a user.d" {
		t.Errorf("read %s", got)
	}
	if got := strings.Join(v.User().Names(), " "); got != "user.a user.d" {
		t.Errorf("its own are %s", got)
	}
}
