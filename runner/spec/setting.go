package spec

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"drolab/dro"
)

// Setting describes one key of a Spec: its name, its meaning and its possible values. Presets,
// --set, run.json, the interface, forks, comparisons and knobs read this and nothing else. A
// setting is a field of Spec with its key and a row of settingRows; a method's own setting is a row
// of its dro.Method instead.
type Setting struct {
	Key     string
	Group   string // heading under which it is listed
	Doc     string // one line
	Want    string // the values allowed, as words after "expected"
	Choices func() []string

	live   bool // a knob, for every method
	fixed  bool // a fork inherits its parent's value
	viewed bool // decides how often a run is looked at or saved, not what it computes
	ends   bool // decides, where patience is set, when the run ends
	native bool // means nothing to a run of a program, see Spec.Program
	bridge bool // means nothing to any other run

	needs *requirement // the setting that decides whether it is read; nil: it always is
	// parameter is the parameter of the uncertainty set that the setting is or belongs to. The
	// setting means nothing to a set that does not read it (dro.SetReads). Empty: none.
	parameter string

	in  func(float64) bool // reports which numbers are allowed; nil: all
	ok  func(*Spec) bool   // checks values that are no numbers, or depend on others
	own *dro.Setting       // the row of a method's own setting, else nil
	by  string             // key of the setting that bounds it

	among func() []string // the words that are listed at the end of Want
	words func() []string // the only values, all of them words; nil: other values are allowed
}

// AllSettings lists every setting, in the order in which people look for them: first the settings
// of the Spec, then the methods' own.
func AllSettings() []Setting { return slices.Clone(allSettings()) }

// FindSetting returns the setting of that key; false if there is none. Settings of every Spec take
// precedence over settings of methods.
func FindSetting(key string) (Setting, bool) {
	list := allSettings()
	for i := range list {
		if list[i].Key == key {
			return list[i], true
		}
	}
	return Setting{}, false
}

// Inherited reports whether a fork inherits the setting from its parent.
func (t *Setting) Inherited() bool { return t.fixed || t.own != nil && t.own.Fixed }

// Inherits returns the parent's text of an inherited setting, and reports whether the fork s agrees
// with it. For a method's own setting, the default takes the place of a value that the parent's
// method does not read, and every fork agrees whose method does not read it.
func (t *Setting) Inherits(s, parent *Spec) (was string, ok bool) {
	if t.own != nil && !t.ReadIn(s) {
		return "", true
	}
	if t.own != nil && !t.ReadIn(parent) {
		defaults := Defaults()
		parent = &defaults
	}
	was = t.Text(parent)
	return was, t.Text(s) == was
}

// Viewed reports whether the setting decides only how often a run is looked at or saved: runs that
// differ in it alone compute the same numbers.
func (t *Setting) Viewed() bool { return t.viewed }

// Computed returns the settings that decide what the runs of s compute, whatever the seed: those
// that decide how often a run is looked at or saved have their defaults, and the seed is 0.
func (s *Spec) Computed() Spec {
	computed, usual := *s, Defaults()
	list := allSettings()
	for i := range list {
		if t := &list[i]; t.viewed {
			t.field(&computed).Set(t.field(&usual))
		}
	}
	computed.Seed = 0
	return computed
}

// liveIn reports whether the setting can change while the Spec's run trains.
func (t *Setting) liveIn(s *Spec) bool {
	m, err := dro.Find(s.Algorithm())
	if err != nil {
		return false
	}
	_, err = s.Set()
	switch {
	case err != nil || !t.ofSet(s.Uncertainty):
		return false
	case t.own != nil:
		return t.own.Live && m.ReadsKey(t.Key)
	}
	return t.live || slices.Contains(m.Live, t.Key)
}

// fields returns the index of the field of Spec for each key.
var fields = sync.OnceValue(func() map[string]int {
	byKey := map[string]int{}
	spec := reflect.TypeFor[Spec]()
	for i := range spec.NumField() {
		byKey[spec.Field(i).Tag.Get("key")] = i
	}
	return byKey
})

// field returns the field of s that holds the setting, to be set; a method's own setting has none.
func (t *Setting) field(s *Spec) reflect.Value {
	return reflect.ValueOf(s).Elem().Field(fields()[t.Key])
}

// value returns the setting's value in s; a method's own setting may be a switch or a word.
func (t *Setting) value(s *Spec) any {
	if t.own == nil {
		return t.field(s).Interface()
	}
	v := t.ownNumber(s)
	switch {
	case t.own.On:
		return v.Or(0) != 0
	case t.own.Choices != nil && t.own.Holds(v):
		return t.own.Choices[int(v.Or(0))]
	}
	return v
}

// SameIn reports whether all Specs have the same value of the setting. It is fast for thousands.
func (t *Setting) SameIn(specs []Spec) bool {
	if len(specs) == 0 {
		return true
	}
	at, first := fields()[t.Key], &specs[0]
	x := reflect.ValueOf(first).Elem().Field(at)
	comparable := x.Type().Comparable()
	same := func(s *Spec) bool {
		if t.own != nil {
			return len(first.Own)+len(s.Own) == 0 || t.ownNumber(first) == t.ownNumber(s)
		}
		y := reflect.ValueOf(s).Elem().Field(at)
		if comparable {
			return x.Equal(y)
		}
		shared := x.Kind() == reflect.Slice && x.Len() == y.Len() && x.Pointer() == y.Pointer()
		return shared || reflect.DeepEqual(x.Interface(), y.Interface())
	}
	for i := range specs {
		if !same(&specs[i]) {
			return false
		}
	}
	return true
}

// Number returns the setting as methods get it; false if it is not a number.
func (t *Setting) Number(s *Spec) (dro.Auto, bool) {
	if t.own != nil {
		return t.ownNumber(s), true
	}
	switch v := t.value(s).(type) {
	case dro.Auto:
		return v, true
	case float64:
		return dro.Fixed(v), true
	case int:
		return dro.Fixed(float64(v)), true
	case bool:
		if v {
			return dro.Fixed(1), true
		}
		return dro.Fixed(0), true
	}
	return dro.Auto{}, false
}

// TakesNumbers reports whether the setting is a number or a list of numbers, or may be.
func (t *Setting) TakesNumbers() bool {
	if t.own != nil {
		return !t.own.On && t.own.Choices == nil
	}
	switch t.field(&Spec{}).Interface().(type) {
	case int, uint64, float64, []int, []float64, dro.Auto, Threshold, Imbalance:
		return true
	}
	return false
}

// isBelowBound reports whether the setting is below the setting that bounds it. It is true if there
// is no such bound, or the runs of s do not read the setting.
func (t *Setting) isBelowBound(s *Spec) bool {
	if t.own == nil || t.own.Below == "" || !t.ReadIn(s) {
		return true
	}
	bound, ok := FindSetting(t.own.Below)
	if !ok {
		return true
	}
	most, _ := bound.Number(s)
	v, _ := t.Number(s)
	return v.Or(0) < most.Or(0)
}

// check returns a *KeyError if the setting's value is not allowed, else nil.
func (t *Setting) check(s *Spec) error {
	good := t.ok == nil || t.ok(s)
	if v, ok := t.Number(s); ok {
		good = good && (t.own == nil || t.own.Holds(v)) &&
			(t.in == nil || v.IsAuto() || t.in(v.Or(0)))
	}
	if good && t.isBelowBound(s) {
		return nil
	}
	want := t.Want
	if t.own != nil && t.own.Below != "" {
		want += ", below " + t.own.Below + " = " + s.Text(t.own.Below)
	}
	if t.among != nil {
		want += join(t.among())
	}
	if t.by != "" {
		want += " = " + s.Text(t.by)
	}
	if defaults := Defaults(); good && t.Text(s) == t.Text(&defaults) { // the bound is too low
		want += fmt.Sprintf(": %s is its default: give %s or %s", t.Text(s), t.Key, t.own.Below)
	}
	return &KeyError{t.Key, t.value(s), want}
}

// Text returns the setting as a preset would state it, which Assign reads back.
func (t *Setting) Text(s *Spec) string {
	v := t.value(s)
	if word, ok := v.(string); ok {
		return word
	}
	if text := FlowText(v); text != "null" {
		return text
	}
	return "[]" // a list that is nil
}

// Text returns the setting of that key as a preset would state it; empty for an
// unknown key.
func (s *Spec) Text(key string) string {
	t, ok := FindSetting(key)
	if !ok {
		return ""
	}
	return t.Text(s)
}

// Equal reports whether two Specs state the same. Settings that none of their methods reads do not
// count.
func (s *Spec) Equal(o *Spec) bool { return s.agrees(*o, func(*Setting) bool { return true }) }

// Computes reports whether runs of two Specs compute the same numbers: they may differ in how often
// they are looked at.
func (s *Spec) Computes(o *Spec) bool {
	return s.agrees(*o, func(t *Setting) bool { return !t.viewed })
}

func (s Spec) agrees(o Spec, counts func(*Setting) bool) bool {
	s, o = s.Settled(), o.Settled()
	return !slices.ContainsFunc(allSettings(), func(t Setting) bool {
		return counts(&t) && !reflect.DeepEqual(t.value(&s), t.value(&o)) &&
			(t.ReadIn(&s) || t.ReadIn(&o))
	})
}

// Single reports whether the setting takes one value, in which a comma has no meaning. Several
// values separated by commas are then a grid.
func (t *Setting) Single() bool { return t.Key != "dataset" && !t.MayBeList() }

// IsList reports whether every value of the setting is a list.
func (t *Setting) IsList() bool {
	return t.own == nil && t.field(&Spec{}).Kind() == reflect.Slice
}

// MayBeList reports whether the setting takes a list, or a list or a word.
func (t *Setting) MayBeList() bool {
	return t.IsList() || t.own == nil && t.field(&Spec{}).Type() == reflect.TypeFor[Imbalance]()
}

// ownNumber returns the number of a method's own setting, or its default.
func (t *Setting) ownNumber(s *Spec) dro.Auto {
	if v, ok := s.Own[t.Key]; ok {
		return v
	}
	return t.own.Default
}
