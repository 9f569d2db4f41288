package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"drolab/dro"
	"drolab/runner/data/source"
)

// Setting describes one key of a Spec: its name, its meaning and its possible values. Presets,
// --set, run.json, the interface, forks, comparisons and knobs read this and nothing else. A
// setting is a field of Spec with its key and a row of settingRows; a method's own setting is a row
// of its dro.Method instead.
type Setting struct {
	Key     string
	Group   string // heading under which it is listed
	Doc     string // one line
	Want    string // the values allowed, as words after "want"
	Choices func() []string

	live   bool // a knob, for every method
	fixed  bool // a fork inherits its parent's value
	viewed bool // decides how often a run is looked at or saved, not what it computes
	ends   bool // decides, where patience is set, when the run ends
	native bool // means nothing to a run of a program, see Spec.Program
	bridge bool // means nothing to any other run

	needs *need // the setting that decides whether it is read; nil: it always is
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
		return t.judges()
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
func (t *Setting) Number(s *Spec) (Auto, bool) {
	if t.own != nil {
		return t.ownNumber(s), true
	}
	switch v := t.value(s).(type) {
	case Auto:
		return v, true
	case float64:
		return Fixed(v), true
	case int:
		return Fixed(float64(v)), true
	case bool:
		if v {
			return Fixed(1), true
		}
		return Fixed(0), true
	}
	return Auto{}, false
}

// TakesNumbers reports whether the setting is a number or a list of numbers, or may be.
func (t *Setting) TakesNumbers() bool {
	if t.own != nil {
		return !t.own.On && t.own.Choices == nil
	}
	switch t.field(&Spec{}).Interface().(type) {
	case int, uint64, float64, []int, []float64, Auto, Threshold, Imbalance:
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

// FlowText writes a value as YAML does on one line.
func FlowText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "" // a number that is not finite, which Validate refuses
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(text), `"`, ""), ",", ", ")
}

// Assign sets the setting of that key to a JSON value, as presets, --set and run.json do. The error
// is a *KeyError, and s is unchanged then; Validate checks ranges. The value is replaced as a
// whole: nothing is shared with another Spec.
func (s *Spec) Assign(key string, value []byte) error {
	t, ok := FindSetting(key)
	if !ok {
		return &KeyError{key, string(value), "a setting"}
	}
	return s.assign(&t, value)
}

func (s *Spec) assign(t *Setting, value []byte) error {
	if t.own != nil {
		return s.assignOwn(t, value)
	}
	field := t.field(s)
	isNull := bytes.Equal(bytes.TrimSpace(value), []byte("null"))
	if isNull && field.Kind() != reflect.Slice { // the JSON of an empty list
		return t.typeError(nil, value, field.Interface())
	}
	fresh := reflect.New(field.Type())
	if err := json.Unmarshal(value, fresh.Interface()); err != nil {
		return t.typeError(err, value, field.Interface())
	}
	field.Set(fresh.Elem())
	if t.Key == "model" && s.IsProgram() {
		s.takeProgram()
	}
	return nil
}

// typeError returns the error for a value that is not of the setting's type.
func (t *Setting) typeError(cause error, value []byte, like any) error {
	if own, ok := errors.AsType[*KeyError](cause); ok {
		return own
	}
	want := wanted[reflect.TypeOf(like)]
	if _, auto := like.(Auto); auto {
		want = t.Want
	}
	return &KeyError{t.Key, string(value), want}
}

// wanted says in words what a value of each type looks like. Validate checks ranges.
var wanted = map[reflect.Type]string{
	reflect.TypeFor[string]():          "text",
	reflect.TypeFor[float64]():         "a number",
	reflect.TypeFor[int]():             "a whole number",
	reflect.TypeFor[uint64]():          "a whole number ≥ 0",
	reflect.TypeFor[bool]():            "true or false",
	reflect.TypeFor[[]float64]():       "a list of numbers, as in [0.5, 0.5]",
	reflect.TypeFor[[]int]():           "a list of whole numbers, as in [64, 32]",
	reflect.TypeFor[[]dro.Algorithm](): "a list, as in [sfk, erm]",
}

// MarshalJSON writes every setting by its key. Of the methods' own settings it writes only those
// that the Spec's methods read.
func (s Spec) MarshalJSON() ([]byte, error) {
	var fields []string
	for _, t := range AllSettings() {
		if !t.suits(&s) || t.own != nil && !t.ReadIn(&s) {
			continue
		}
		value, err := json.Marshal(t.value(&s))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Key, err)
		}
		fields = append(fields, fmt.Sprintf("%q:%s", t.Key, value))
	}
	return []byte("{" + strings.Join(fields, ",") + "}"), nil
}

// UnmarshalJSON reads what MarshalJSON writes, and skips unknown keys. A key that is missing gets
// the default: a setting that is added later must by default do what was done without it.
func (s *Spec) UnmarshalJSON(b []byte) error {
	*s = Defaults()
	var values map[string]json.RawMessage
	if err := json.Unmarshal(b, &values); err != nil {
		return err
	}
	list := allSettings()
	for i := range list { // a setting is large to copy, and thousands of runs are listed
		if value, ok := values[list[i].Key]; ok {
			if err := s.assign(&list[i], value); err != nil {
				return err
			}
		}
	}
	return nil
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
func (t *Setting) Single() bool {
	if t.own != nil {
		return true
	}
	kind := t.field(&Spec{}).Type()
	list := kind.Kind() == reflect.Slice || kind == reflect.TypeFor[Imbalance]()
	return t.Key != "dataset" && !list
}

// ownNumber returns the number of a method's own setting, or its default.
func (t *Setting) ownNumber(s *Spec) Auto {
	if v, ok := s.Own[t.Key]; ok {
		return v
	}
	return t.own.Default
}

// assignOwn is Assign for a method's own setting.
func (s *Spec) assignOwn(t *Setting, value []byte) error {
	var v Auto
	switch text := string(bytes.TrimSpace(value)); {
	case t.own.On && text == "true":
		v = Fixed(1)
	case t.own.On && text == "false":
		v = Fixed(0)
	case t.own.On:
		return t.typeError(nil, value, true)
	case t.own.Choices != nil:
		var word string
		err := json.Unmarshal(value, &word)
		at := slices.Index(t.own.Choices, word)
		if err != nil || at < 0 {
			return &KeyError{t.Key, string(value), t.Want}
		}
		v = Fixed(float64(at))
	default:
		var x float64
		if err := json.Unmarshal(value, &x); err != nil || text == "null" {
			return &KeyError{t.Key, string(value), t.Want}
		}
		v = Fixed(x)
	}
	s.SetOwn(t.Key, v)
	return nil
}

// SetOwn sets a method's own setting. It makes a new map, so that copies of s keep theirs.
func (s *Spec) SetOwn(key string, v Auto) {
	own := map[string]Auto{}
	maps.Copy(own, s.Own)
	own[key] = v
	s.Own = own
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

// need is a setting and the values, one of which it must have for another setting to be read.
type need struct {
	key    string
	values []string
}

func (n *need) met(s *Spec) bool { return n == nil || slices.Contains(n.values, s.Text(n.key)) }

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
