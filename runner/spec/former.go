package spec

import (
	"encoding/json"
	"slices"

	"drolab/dro"
)

// Some methods were once a word in the settings of another method: sfk-auto was sfk with "c: auto".
// Reading a Spec goes through Assign, which replaces the word by the method, so that no other code
// knows of such words.

// SetAlgorithms sets the methods, as Assign does. Validate checks that they exist.
func (s *Spec) SetAlgorithms(list ...dro.Algorithm) {
	s.Algorithms = list
	s.rename()
}

// renames reports whether s sets t to auto where that word stands for another method. Files older
// than sfk-auto ask for it as sfk with "c: auto".
func (t *Setting) renames(s *Spec) bool {
	if t.own == nil || t.own.AutoIs == "" {
		return false
	}
	v, ok := s.Own[t.Key]
	return ok && v.IsAuto()
}

// rename replaces such words by methods; no other code does. It leaves a Spec that names both to
// check, which refuses it: the word and the method would be the same run twice.
func (s *Spec) rename() {
	for _, t := range methodSettings() {
		if t.renames(s) {
			s.replace(t.of, t.own.AutoIs)
		}
	}
}

// Other returns the method that a becomes if a setting of its own is auto, or the method that
// becomes a in this way. It is empty for most methods.
func Other(a dro.Algorithm) dro.Algorithm {
	for _, t := range methodSettings() {
		switch {
		case t.own.AutoIs == "":
		case t.of == a:
			return t.own.AutoIs
		case t.own.AutoIs == a:
			return t.of
		}
	}
	return ""
}

// replace puts a method in the place of another, unless it is already in the list. It makes a new
// list, since copies of s share the old one.
func (s *Spec) replace(old, by dro.Algorithm) {
	if i := slices.Index(s.Algorithms, old); i >= 0 && !slices.Contains(s.Algorithms, by) {
		s.Algorithms = slices.Clone(s.Algorithms)
		s.Algorithms[i] = by
	}
}

// younger reports whether a file that lacks this setting has another setting of its method.
func (t *Setting) younger(values map[string]json.RawMessage) bool {
	m, err := dro.Find(t.of)
	there := func(o dro.Setting) bool { return values[o.Key] != nil }
	return err == nil && slices.ContainsFunc(m.Settings, there)
}
