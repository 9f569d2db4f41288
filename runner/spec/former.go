package spec

import (
	"encoding/json"
	"slices"

	"drolab/dro"
)

// A method may have been a word in another one's settings: sfk-auto was sfk with
// "c: auto". Where a Spec is read, which goes through Assign, the word becomes the
// method, so that nothing else knows of it.

// SetAlgorithms names the methods, as Assign does. Whether there are such is Validate's
// to say.
func (s *Spec) SetAlgorithms(list ...dro.Algorithm) {
	s.Algorithms = list
	s.rename()
}

// renames tells whether s has the setting as the word auto where that is another
// method: sfk with "c: auto" is how files say sfk-auto that are older than it.
func (t *Setting) renames(s *Spec) bool {
	if t.own == nil || t.own.AutoIs == "" {
		return false
	}
	v, ok := s.Own[t.Key]
	return ok && v.IsAuto()
}

// rename is the one place where such words become methods. A Spec that names both
// is left to check, which refuses it: the word and the method would be one run twice.
func (s *Spec) rename() {
	for _, t := range methodSettings() {
		if t.renames(s) {
			s.replace(t.of, t.own.AutoIs)
		}
	}
}

// Other returns the method that a becomes where a setting of its own is auto, or
// that becomes a so; empty for most.
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

// replace puts a method in place of another, where it is not there already. The list is
// made anew, since copies of s share it.
func (s *Spec) replace(old, by dro.Algorithm) {
	if i := slices.Index(s.Algorithms, old); i >= 0 && !slices.Contains(s.Algorithms, by) {
		s.Algorithms = slices.Clone(s.Algorithms)
		s.Algorithms[i] = by
	}
}

// younger tells whether a file has another setting of the method, and not this one.
func (t *Setting) younger(values map[string]json.RawMessage) bool {
	m, err := dro.Find(t.of)
	there := func(o dro.Setting) bool { return values[o.Key] != nil }
	return err == nil && slices.ContainsFunc(m.Settings, there)
}
