package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data"
)

// Setting describes one key of a Spec: its name, what it means, what it may be.
// Presets, --set, run.json, the interface, forks, comparisons and knobs read
// this and nothing else. A setting is a field of Spec and a row of settingRows,
// or, of a method's own, a row in its dro.Method.
type Setting struct {
	Key     string
	Group   string // heading that it stands under
	Doc     string // one line
	Want    string // what is allowed, after "want"
	Choices func() []string

	live   bool             // a knob, for every method
	fixed  bool             // a fork has its parent's
	viewed bool             // decides how often a run is looked at or saved, not what it computes
	radius bool             // means nothing to a set without a radius
	field  func(*Spec) any  // pointer to the field; nil for a method's own
	ok     func(*Spec) bool // nil: every value of the type
	own    *dro.Setting
}

// AllSettings lists every setting, in the order in which people look for them:
// the Spec's, then those of the methods.
func AllSettings() []Setting {
	list := settingRows()
	for _, m := range dro.Methods() {
		for i := range m.Settings {
			own := &m.Settings[i]
			list = append(list, Setting{Key: own.Key, Group: "Settings of " + string(m.Name), Doc: own.Doc, Want: own.Want, own: own,
				Choices: onOff(own.On)})
		}
	}
	return list
}

// FindSetting returns the setting of that key.
func FindSetting(key string) (Setting, bool) {
	list := AllSettings()
	i := slices.IndexFunc(list, func(s Setting) bool { return s.Key == key })
	if i < 0 {
		return Setting{}, false
	}
	return list[i], true
}

// ReadBy tells whether runs of the method depend on the setting: one that some
// method names as read is for those methods only.
func (t *Setting) ReadBy(m *dro.Method) bool {
	if t.own == nil && !slices.ContainsFunc(dro.Methods(), func(o dro.Method) bool { return o.ReadsKey(t.Key) }) {
		return true
	}
	return m.ReadsKey(t.Key)
}

// ReadIn tells whether one of the Spec's methods reads the setting.
func (t *Setting) ReadIn(s *Spec) bool {
	return slices.ContainsFunc(s.Algorithms, func(a dro.Algorithm) bool {
		m, err := dro.Find(a)
		return err != nil || t.ReadBy(m)
	})
}

// Viewed tells whether the setting decides only how often a run is looked at or
// saved: runs that differ in it alone come to the same numbers.
func (t *Setting) Viewed() bool { return t.viewed }

// LiveIn tells whether the setting can be changed while the Spec's run goes on.
func (t *Setting) LiveIn(s *Spec) bool {
	m, err := dro.Find(s.Algorithm())
	if err != nil {
		return false
	}
	set, err := s.Set()
	switch {
	case err != nil || t.radius && !set.HasRadius():
		return false
	case t.own != nil:
		return t.own.Live && m.ReadsKey(t.Key)
	}
	return t.live || slices.Contains(m.Live, t.Key)
}

func settingRows() []Setting {
	return slices.Concat(runRows(), setRows(), trainingRows(), dataRows(), dualRows(), recordRows())
}

func runRows() []Setting {
	return grouped("Runs", []Setting{
		{Key: "algorithms", Doc: "methods to run side by side, on the same data with the same seeds",
			Want: "each algorithm once, of " + join(dro.Algorithms()), field: func(s *Spec) any { return &s.Algorithms }, ok: algorithmsOnce},
		{Key: "seeds", Doc: "repeats of each method; a claim needs 4 or more", Want: "a whole number ≥ 1",
			viewed: true, field: func(s *Spec) any { return &s.Seeds }, ok: func(s *Spec) bool { return s.Seeds >= 1 }},
		{Key: "seed", Doc: "the first seed: initialisation, batch order, augmentation, draws for z", Want: "a whole number ≥ 0",
			fixed: true, field: func(s *Spec) any { return &s.Seed }},
	})
}

func setRows() []Setting {
	return grouped("Uncertainty set", []Setting{
		{Key: "uncertainty", Doc: "the divergence that bounds how far the adversary may reweight", Want: "text",
			Choices: dro.SetNames, field: func(s *Spec) any { return &s.Uncertainty }},
		{Key: "rho", Doc: "radius ρ > 0, in the scale of φ(t) = (t−1)²/2 at χ²", Want: "a number > 0", radius: true,
			field: func(s *Spec) any { return &s.Rho }, ok: func(s *Spec) bool { return positive(s.Rho) }},
		{Key: "k", Doc: "order of the Cressie-Read divergence, 1 < k ≤ 2; χ² is 2",
			Want:  "1 < k ≤ 2 (χ² is 2; for the limit k → 1 set uncertainty to kl)",
			field: func(s *Spec) any { return &s.K }, ok: func(s *Spec) bool { return s.K > 1 && s.K <= 2 }},
		{Key: "mu", Doc: "level of the CVaR sets, 0 < μ < 1", Want: "a number in (0, 1)",
			field: func(s *Spec) any { return &s.Mu }, ok: func(s *Spec) bool { return s.Mu > 0 && s.Mu < 1 }},
	})
}

func trainingRows() []Setting {
	return grouped("Training", []Setting{
		{Key: "epochs", Doc: "passes over the training split", Want: "a whole number ≥ 1",
			field: func(s *Spec) any { return &s.Epochs }, ok: func(s *Spec) bool { return s.Epochs >= 1 }},
		{Key: "batch", Doc: "n_x: samples in a step of the weights", Want: "a whole number ≥ 1", fixed: true,
			field: func(s *Spec) any { return &s.Batch }, ok: func(s *Spec) bool { return s.Batch >= 1 }},
		{Key: "batch_z", Doc: "n_z: samples of a method's own draw for z; 0 is as batch", Want: "a whole number ≥ 0", fixed: true,
			field: func(s *Spec) any { return &s.BatchZ }, ok: func(s *Spec) bool { return s.BatchZ >= 0 }},
		{Key: "lr", Doc: "α: step size of the weights and, in methods that take gradient steps on z, of z", Want: "a number > 0",
			live: true, field: func(s *Spec) any { return &s.LR }, ok: func(s *Spec) bool { return positive(s.LR) }},
		{Key: "lr_drop_epoch", Doc: "epochs after which lr is multiplied by lr_drop; 0 is never", Want: "a whole number ≥ 0",
			field: func(s *Spec) any { return &s.LRDropEpoch }, ok: func(s *Spec) bool { return s.LRDropEpoch >= 0 }},
		{Key: "lr_drop", Doc: "factor on lr from lr_drop_epoch on", Want: "a number > 0",
			field: func(s *Spec) any { return &s.LRDrop }, ok: func(s *Spec) bool { return positive(s.LRDrop) }},
		{Key: "momentum", Doc: "of the weights, in every method alike, 0 ≤ m < 1", Want: "a number in [0, 1)",
			field: func(s *Spec) any { return &s.Momentum }, ok: func(s *Spec) bool { return fraction(s.Momentum) }},
		{Key: "weight_decay", Doc: "of the weights, in every method alike, ≥ 0", Want: "a number ≥ 0",
			field: func(s *Spec) any { return &s.WeightDecay },
			ok:    func(s *Spec) bool { return s.WeightDecay >= 0 && s.WeightDecay < math.Inf(1) }},
	})
}

func dataRows() []Setting {
	return grouped("Data and model", []Setting{
		{Key: "dataset", Doc: "a dataset's name, or csv:PATH?label=COLUMN&group=COLUMN", Want: "a dataset's name or a CSV file",
			Choices: data.Names, fixed: true, field: func(s *Spec) any { return &s.Dataset }, ok: func(s *Spec) bool { return s.Dataset != "" }},
		{Key: "model", Doc: "the network", Want: "one of " + join(nn.Models()), Choices: nn.Models, fixed: true,
			field: func(s *Spec) any { return &s.Model }, ok: func(s *Spec) bool { return nn.Known(s.Model) }},
		{Key: "samples", Doc: "training samples before imbalance; 0 is the dataset's own number", Want: "a whole number ≥ 0",
			fixed: true, field: func(s *Spec) any { return &s.Samples }, ok: func(s *Spec) bool { return s.Samples >= 0 }},
		{Key: "difficulty", Doc: "of the drawn dataset shapes, 0 to 1", Want: "a number in [0, 1]", fixed: true,
			field: func(s *Spec) any { return &s.Difficulty }, ok: func(s *Spec) bool { return s.Difficulty >= 0 && s.Difficulty <= 1 }},
		{Key: "imbalance", Doc: "share of each class kept for training: auto, paper, none or a list",
			Want: "ratios in (0, 1], one for each class", fixed: true,
			field: func(s *Spec) any { return &s.Imbalance }, ok: func(s *Spec) bool { return s.Imbalance.valid() }},
		{Key: "augment", Doc: "random crops and flips, on training batches only", Want: "true or false",
			Choices: onOff(true), fixed: true, field: func(s *Spec) any { return &s.Augment }},
		{Key: "mean", Doc: "taken off each channel, of pixels in 0..1; [] is customary",
			Want: "as many numbers as std has, one for each channel", fixed: true, field: func(s *Spec) any { return &s.Mean },
			ok: func(s *Spec) bool { return len(s.Mean) == len(s.Std) && allFinite(s.Mean) }},
		{Key: "std", Doc: "each channel is divided by it; [] is customary", Want: "numbers > 0, one for each channel", fixed: true,
			field: func(s *Spec) any { return &s.Std },
			ok:    func(s *Spec) bool { return !slices.ContainsFunc(s.Std, func(x float64) bool { return !positive(x) }) }},
		{Key: "val_fraction", Doc: "share of the training split that is held out, 0 ≤ f < 1", Want: "a number in [0, 1)",
			fixed: true, field: func(s *Spec) any { return &s.ValFraction }, ok: func(s *Spec) bool { return fraction(s.ValFraction) }},
	})
}

func dualRows() []Setting {
	return grouped("Dual variables", []Setting{
		{Key: "coordinates", Doc: "paper: η is shifted by λ/(k−1); auto is paper at k = 2", Want: "auto, paper or unshifted",
			Choices: func() []string { return []string{"auto", string(dro.Paper), string(dro.Unshifted)} },
			field:   func(s *Spec) any { return &s.Coordinates },
			ok: func(s *Spec) bool {
				return slices.Contains([]string{"auto", string(dro.Paper), string(dro.Unshifted)}, s.Coordinates)
			}},
		{Key: "lambda", Doc: "λ at the start; PAN and its like keep it", Want: "a number", radius: true,
			field: func(s *Spec) any { return &s.Lambda }},
		{Key: "eta", Doc: "η at the start", Want: "a number", field: func(s *Spec) any { return &s.Eta }},
		{Key: "lambda0", Doc: "lower bound of λ, > 0", Want: "a number > 0", radius: true,
			field: func(s *Spec) any { return &s.Lambda0 }, ok: func(s *Spec) bool { return positive(s.Lambda0) }},
		{Key: "lambda_max", Doc: "upper bound of λ; auto derives it from ρ and eta_max", Want: "auto or a number ≥ lambda0",
			radius: true, field: func(s *Spec) any { return &s.LambdaMax },
			ok: func(s *Spec) bool {
				max := s.LambdaMax.Or(s.Lambda0)
				return s.LambdaMax.IsAuto() || max >= s.Lambda0 && max < math.Inf(1)
			}},
		{Key: "eta_min", Doc: "lower bound of η; auto derives it", Want: "auto or a number ≤ eta_max",
			field: func(s *Spec) any { return &s.EtaMin },
			ok: func(s *Spec) bool {
				min := s.EtaMin.Or(s.EtaMax)
				return s.EtaMin.IsAuto() || min <= s.EtaMax && min > math.Inf(-1)
			}},
		{Key: "eta_max", Doc: "upper bound of η: B, the assumed bound of the loss", Want: "a number > 0",
			field: func(s *Spec) any { return &s.EtaMax }, ok: func(s *Spec) bool { return positive(s.EtaMax) }},
	})
}

func recordRows() []Setting {
	return grouped("Records", []Setting{
		{Key: "log_every", Doc: "steps between points of the curves", Want: "a whole number ≥ 1", viewed: true,
			field: func(s *Spec) any { return &s.LogEvery }, ok: func(s *Spec) bool { return s.LogEvery >= 1 }},
		{Key: "eval_every", Doc: "epochs between evaluations; 0 is only at the end", Want: "a whole number ≥ 0", viewed: true,
			field: func(s *Spec) any { return &s.EvalEvery }, ok: func(s *Spec) bool { return s.EvalEvery >= 0 }},
		{Key: "certify_every", Doc: "epochs between full gradient norms; 0 is only at the end", Want: "a whole number ≥ 0", viewed: true,
			field: func(s *Spec) any { return &s.CertifyEvery }, ok: func(s *Spec) bool { return s.CertifyEvery >= 0 }},
		{Key: "checkpoint_every", Doc: "steps between checkpoints; 0 is once an epoch", Want: "a whole number ≥ 0", viewed: true,
			field: func(s *Spec) any { return &s.CheckpointEvery }, ok: func(s *Spec) bool { return s.CheckpointEvery >= 0 }},
		{Key: "checkpoint_keep", Doc: "newest checkpoints that are kept", Want: "a whole number ≥ 1", viewed: true,
			field: func(s *Spec) any { return &s.CheckpointKeep }, ok: func(s *Spec) bool { return s.CheckpointKeep >= 1 }},
	})
}

func grouped(name string, rows []Setting) []Setting {
	for i := range rows {
		rows[i].Group = name
	}
	return rows
}

func onOff(is bool) func() []string {
	if !is {
		return nil
	}
	return func() []string { return []string{"false", "true"} }
}

func positive(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
func fraction(x float64) bool { return x >= 0 && x < 1 }

func algorithmsOnce(s *Spec) bool {
	for i, a := range s.Algorithms {
		if _, err := dro.Find(a); err != nil || slices.Contains(s.Algorithms[:i], a) {
			return false
		}
	}
	return len(s.Algorithms) > 0
}

// value returns the setting as s has it.
func (t *Setting) value(s *Spec) any {
	if t.own == nil {
		return reflect.ValueOf(t.field(s)).Elem().Interface()
	}
	v, ok := s.Own[t.Key]
	if !ok {
		v = t.own.Default
	}
	if t.own.On {
		return v.Or(0) != 0
	}
	return v
}

// number returns the setting as methods get it; false where it is no number.
func (t *Setting) number(s *Spec) (Auto, bool) {
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

// check says what is wrong with the setting, or nothing.
func (t *Setting) check(s *Spec) error {
	good := t.ok == nil || t.ok(s)
	if v, ok := t.number(s); ok && t.own != nil {
		good = t.own.Holds(v)
	}
	if good {
		return nil
	}
	return &KeyError{t.Key, t.value(s), t.Want}
}

// Text returns the setting as a preset would state it, which Assign reads back.
func (t *Setting) Text(s *Spec) string {
	switch v := t.value(s).(type) {
	case string:
		return v
	case []float64:
		if v == nil {
			return "[]"
		}
	}
	return FlowText(t.value(s))
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

// Assign sets the setting of that key to a JSON value, which presets, --set and
// run.json give alike. The error is a *KeyError, and s is then as it was; ranges
// are Validate's. The value is replaced as a whole: nothing is shared with
// another Spec.
func (s *Spec) Assign(key string, value []byte) error {
	t, ok := FindSetting(key)
	if !ok {
		return &KeyError{key, string(value), "a setting"}
	}
	if t.own != nil {
		return s.assignOwn(&t, value)
	}
	field := reflect.ValueOf(t.field(s)).Elem()
	fresh := reflect.New(field.Type())
	if err := json.Unmarshal(value, fresh.Interface()); err != nil {
		return t.wrong(err, value, field.Interface())
	}
	field.Set(fresh.Elem())
	return nil
}

func (s *Spec) assignOwn(t *Setting, value []byte) error {
	var v Auto
	switch text := string(bytes.TrimSpace(value)); {
	case t.own.On && text == "true":
		v = Fixed(1)
	case t.own.On && text == "false":
		v = Fixed(0)
	case t.own.On:
		return t.wrong(nil, value, true)
	case t.own.Auto:
		if err := v.UnmarshalJSON(value); err != nil {
			return t.wrong(nil, value, v)
		}
	default:
		var x float64
		if err := json.Unmarshal(value, &x); err != nil {
			return t.wrong(nil, value, x)
		}
		v = Fixed(x)
	}
	s.SetOwn(t.Key, v)
	return nil
}

// SetOwn sets a method's own setting. The map is made anew, so that copies of s
// keep theirs.
func (s *Spec) SetOwn(key string, v Auto) {
	own := maps.Clone(s.Own)
	if own == nil {
		own = map[string]Auto{}
	}
	own[key] = v
	s.Own = own
}

// wrong is the error of a value that is not of the setting's type.
func (t *Setting) wrong(cause error, value []byte, like any) error {
	var own *KeyError
	if errors.As(cause, &own) {
		return own
	}
	return &KeyError{t.Key, string(value), wanted(like)}
}

// wanted says what a setting of a type looks like. Ranges are Validate's.
func wanted(like any) string {
	switch like.(type) {
	case float64:
		return "a number"
	case int:
		return "a whole number"
	case uint64:
		return "a whole number ≥ 0"
	case bool:
		return "true or false"
	case Auto:
		return "auto or a number"
	case []float64:
		return "a list of numbers, as in [0.5, 0.5]"
	case []dro.Algorithm:
		return "a list, as in [sfk, erm]"
	}
	return "text"
}

// MarshalJSON writes every setting by its key: of the methods' own, those of
// the Spec's methods.
func (s Spec) MarshalJSON() ([]byte, error) {
	b := bytes.NewBufferString("{")
	for _, t := range AllSettings() {
		if t.own != nil && !t.ReadIn(&s) {
			continue
		}
		value, err := json.Marshal(t.value(&s))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Key, err)
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "%q:%s", t.Key, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON writes. Keys that this program does not
// know are left out.
func (s *Spec) UnmarshalJSON(b []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(b, &values); err != nil {
		return err
	}
	for _, t := range AllSettings() {
		if value, ok := values[t.Key]; ok {
			if err := s.Assign(t.Key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// Equal tells whether two Specs state the same.
func (s *Spec) Equal(o *Spec) bool {
	return !slices.ContainsFunc(AllSettings(), func(t Setting) bool { return !reflect.DeepEqual(t.value(s), t.value(o)) })
}

// Unread returns an error for the first of the keys, given for runs of s, that
// no method of s reads.
func (s *Spec) Unread(keys []string) error {
	for _, key := range keys {
		t, ok := FindSetting(key)
		if !ok || t.ReadIn(s) {
			continue
		}
		var readers []dro.Algorithm
		for _, m := range dro.Methods() {
			if t.ReadBy(&m) {
				readers = append(readers, m.Name)
			}
		}
		return &KeyError{key, s.Text(key), fmt.Sprintf("a method that reads it (%s): %s does not", join(readers), join(s.Algorithms))}
	}
	return nil
}
