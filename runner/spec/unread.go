package spec

import (
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner/data"
)

// Unread returns an error for the first of the keys, given for runs of s, that no method of s
// reads; nil if all are read.
func (s *Spec) Unread(keys []string) error {
	for _, key := range keys {
		if err := s.unsuited(key); err != nil {
			return err
		}
		if key == "augment" && s.Augment && data.Table(s.Dataset) {
			want := "false: the samples of " + s.Dataset + " are not pictures to crop and mirror"
			return &KeyError{key, true, want}
		}
		t, ok := FindSetting(key)
		if !ok || t.ReadIn(s) {
			continue
		}
		if n := t.needs; !n.met(s) {
			want := fmt.Sprintf("%s: %s, with which it is read; it is %s", n.key, n.value,
				s.Text(n.key))
			return &KeyError{key, s.Text(key), want}
		}
		if !t.ofSet(s.Uncertainty) {
			sets := slices.DeleteFunc(dro.SetNames(),
				func(name string) bool { return !t.ofSet(name) })
			want := fmt.Sprintf("a set that reads it (%s): %s does not", strings.Join(sets, ", "),
				s.Uncertainty)
			return &KeyError{key, s.Text(key), want}
		}
		var readers []dro.Algorithm
		for _, m := range dro.Methods() {
			if t.ReadBy(&m) {
				readers = append(readers, m.Name)
			}
		}
		want := fmt.Sprintf("a method that reads it (%s): %s does not",
			join(readers), join(s.Algorithms))
		return &KeyError{key, s.Text(key), want}
	}
	return nil
}

// unsuited returns an error for a setting that the Spec's network does not read, since
// a record that states it would mislead.
func (s *Spec) unsuited(key string) error {
	t, ok := FindSetting(key)
	switch {
	case !ok:
	case key == "dataset" && s.IsProgram() != (s.Dataset == ProgramData):
		want := "a name, or model: program:PATH"
		if s.IsProgram() {
			want = ProgramData + ", since a program has its own data"
		}
		return &KeyError{key, s.Dataset, want}
	case !t.suits(s) && s.IsScript():
		return &KeyError{key, s.Text(key), "none: the script has its own network, data and time"}
	case !t.suits(s) && s.IsProgram():
		return &KeyError{key, s.Text(key), "none: the program has its own network and data, " +
			"and takes arguments after its name, as in program:train.py width=2"}
	case !t.suits(s):
		return &KeyError{key, s.Text(key), "a model that is a program, as in program:train.py"}
	}
	return nil
}

// TrainedBy reports whether the steps of the Spec's run depend on the setting. Where they do not
// and the run reads it, the report alone depends on it.
func (t *Setting) TrainedBy(s *Spec) bool {
	m, err := dro.Find(s.Algorithm())
	steers := !t.viewed || t.ends && s.Patience > 0
	return t.ReadIn(s) && steers && (err != nil || m.TrainsBy(t.Key))
}

// need is a setting and the value that it must have for another setting to be read.
type need struct{ key, value string }

func (n *need) met(s *Spec) bool { return n == nil || s.Text(n.key) == n.value }

// Needs returns the key of the setting that decides whether this setting is read; empty: none.
func (t *Setting) Needs() string {
	switch {
	case t.needs != nil:
		return t.needs.key
	case t.parameter != "":
		return "uncertainty"
	}
	return ""
}
