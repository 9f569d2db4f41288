package record

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"drolab/runner"
)

func TestPresetName(t *testing.T) {
	for preset, want := range map[string]string{
		"shapes":                 "shapes",
		"paper-k1.5":             "paper-k1.5",
		"/home/me/My Paper.yaml": "my-paper",
		"../..":                  "run",
		"...hidden.yml":          "hidden",
		"":                       "run",
		"été\x1b[2J\n":           "t---2j",
		strings.Repeat("a", 300): strings.Repeat("a", 40),
		".":                      "run",
		`..\..\windows`:          "windows",
	} {
		if got := presetName(preset); got != want {
			t.Errorf("presetName(%q) = %q, want %q", preset, got, want)
		}
	}
}

// TestAGivenName checks that a name is given to one run only; a second run of that name is refused.
func TestAGivenName(t *testing.T) {
	s := newStore(t)
	m := newMeta(1)
	m.ID = "mine-0123"
	create(t, s, m)
	again := newMeta(1)
	again.ID = m.ID
	if _, err := s.Create(again, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("twice: %v, want %v", err, fs.ErrExist)
	}
	if again.ID != m.ID {
		t.Errorf("the second run is named %s, want %s", again.ID, m.ID)
	}
	for _, name := range []string{"../mine", ".mine", "a/b"} {
		bad := newMeta(1)
		bad.ID = name
		if _, err := s.Create(bad, nil); err == nil {
			t.Errorf("%q is made", name)
		}
	}
	r, err := Find(s.Dir(), m.ID)
	if err != nil {
		t.Fatalf("Find(%s): %v", m.ID, err)
	}
	if r.Status() != runner.Queued {
		t.Errorf("the run of that name is %s, want %s", r.Status(), runner.Queued)
	}
}
