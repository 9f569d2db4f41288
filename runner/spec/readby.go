package spec

import (
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner/data/source"
)

// ReadBy reports whether runs of the method depend on the setting. A setting that some methods name
// as read is read by those methods only.
func (t *Setting) ReadBy(m *dro.Method) bool {
	if t.Key == "sampler" && m.Subsamples { // the method has its own sampling
		return false
	}
	return t.own == nil && !dro.ReadBySome(t.Key) || m.ReadsKey(t.Key)
}

// ReadIn reports whether one of the Spec's methods reads the setting.
func (t *Setting) ReadIn(s *Spec) bool {
	if s.Foreign() {
		return t.Judges() || t.recalled(s)
	}
	read := func(a dro.Algorithm) bool {
		m, err := dro.Find(a)
		return err != nil || t.ReadBy(m)
	}
	return t.suits(s) && t.needs.met(s) && t.ofSet(s.Uncertainty) &&
		slices.ContainsFunc(s.Algorithms, read)
}

// suits reports whether the setting means something to the Spec's network.
func (t *Setting) suits(s *Spec) bool {
	return (!t.native || !s.IsProgram()) && (!t.bridge || s.IsProgram())
}

// Unread returns an error for the first of the keys, given for runs of s, that no method of s
// reads; nil if all are read. A record that states such a setting would mislead.
func (s *Spec) Unread(keys []string) error {
	for _, key := range keys {
		t, ok := FindSetting(key)
		if !ok {
			continue
		}
		if want := t.unread(s); want != "" {
			return &KeyError{key, t.Text(s), want}
		}
	}
	return nil
}

// unread says what runs of s want in place of a setting that they do not read; empty if they read
// it.
func (t *Setting) unread(s *Spec) string {
	switch n := t.needs; {
	case t.Key == "dataset" && s.IsProgram() && s.Dataset != ProgramData:
		return ProgramData + ", since a program has its own data"
	case t.Key == "dataset" && !s.IsProgram() && s.Dataset == ProgramData:
		return "a name, or model: program:PATH"
	case !t.suits(s) && s.IsScript():
		return "none: the script has its own network and data"
	case !t.suits(s) && s.IsProgram():
		return "none: the program has its own network and data, and takes arguments after its " +
			"name, as in program:train.py width=2"
	case !t.suits(s):
		return "a model that is a program, as in program:train.py"
	case t.Key == "augment" && s.Augment && source.Table(s.Dataset):
		return "false: the samples of " + s.Dataset + " are not pictures to crop and mirror"
	case t.ReadIn(s):
		return ""
	case !n.met(s):
		return fmt.Sprintf("%s: %s, with which it is read; it is %s", n.key,
			strings.Join(n.values, " or "), s.Text(n.key))
	case !t.ofSet(s.Uncertainty):
		sets := slices.DeleteFunc(dro.SetNames(), func(name string) bool { return !t.ofSet(name) })
		return fmt.Sprintf("a set that reads it (%s): %s does not", join(sets), s.Uncertainty)
	}
	var readers []dro.Algorithm
	for _, m := range dro.Methods() {
		if t.ReadBy(&m) {
			readers = append(readers, m.Name)
		}
	}
	return fmt.Sprintf("a method that reads it (%s): %s does not", join(readers),
		join(s.Algorithms))
}

// TrainedBy reports whether the steps of the Spec's run depend on the setting. Where they do not
// and the run reads it, the report alone depends on it.
func (t *Setting) TrainedBy(s *Spec) bool {
	m, err := dro.Find(s.Algorithm())
	steers := !t.viewed || t.ends && s.Patience > 0
	return t.ReadIn(s) && steers && (err != nil || m.TrainsBy(t.Key))
}

// requirement is a setting and the values, one of which it must have for another setting to be
// read.
type requirement struct {
	key    string
	values []string
}

func (n *requirement) met(s *Spec) bool {
	return n == nil || slices.Contains(n.values, s.Text(n.key))
}

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
