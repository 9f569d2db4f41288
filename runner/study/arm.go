package study

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/spec"
)

// arms reads the conditions and the arms, which have a Spec under each condition.
func (p *parser) arms(conditions, arms Entry) {
	under := conditions.Below
	if conditions.Key == "" {
		under = []Entry{{Line: arms.Line, Below: []Entry{}}}
	} else if len(under) == 0 {
		p.fail(conditions.Line, "conditions: want settings by label, as in {ρ = 0.5: {rho: 0.5}}")
	}
	sound := true
	for _, c := range under {
		one := Condition{Label: c.Key}
		s, preset, ok := p.settle(c)
		sound = sound && ok
		if preset != "" || entryOf(c, "rho") != nil {
			one.Radius = s.Rho
		}
		p.of.Conditions = append(p.of.Conditions, one)
	}
	if arms.Key != "" && len(arms.Below) == 0 {
		p.fail(arms.Line, "arms: want at least one, as in {erm: {preset: shapes, method: erm}}")
	}
	for _, e := range arms.Below {
		a := Arm{Name: e.Key, Label: e.Key}
		if label := entryOf(e, "label"); label != nil {
			if err := oneLine(&a.Label)(*label); err != nil {
				p.fail(label.Line, "%w", err)
			}
		}
		for ok, i := sound, 0; ok && i < len(under); i++ { // an error is told once
			var s spec.Spec
			var preset string
			s, preset, ok = p.settle(under[i], e)
			a.Specs, a.Presets = append(a.Specs, s), append(a.Presets, preset)
		}
		p.of.Arms = append(p.of.Arms, a)
	}
	p.radii()
}

// radii forgets the radii of the conditions if every arm trains by that of its condition. Else all
// robust risks of the study are read from the list of risk_radii, since two solutions of the same
// problem may differ in the last digits.
func (p *parser) radii() {
	for c := range p.of.Conditions {
		for _, a := range p.of.Arms {
			r := p.of.Conditions[c].Radius
			if len(p.errs) == 0 && r > 0 && a.Specs[c].Rho != r {
				return
			}
		}
	}
	for c := range p.of.Conditions {
		p.of.Conditions[c].Radius = 0
	}
}

// settle returns the settings that mappings state, the last of which prevails: a preset, a method
// and settings. An arm, the second mapping, needs a preset and a method.
func (p *parser) settle(by ...Entry) (s spec.Spec, preset string, ok bool) {
	before, at, last := len(p.errs), map[string]Entry{}, by[len(by)-1]
	check := func(line int, err error) {
		if err != nil {
			p.fail(line, "%w", err)
		}
	}
	for _, e := range by {
		for _, b := range e.Below {
			at[b.Key] = b
		}
	}
	s = spec.Defaults()
	if e, is := at["preset"]; is {
		loaded, err := p.preset(e)
		check(e.Line, err)
		s, preset = loaded.Spec, loaded.Name
	}
	for _, e := range by {
		for _, b := range e.Below {
			switch b.Key {
			case "preset", "label":
			case "method":
				check(b.Line, method(b, &s))
			case "algorithms", "seed", "seeds":
				p.fail(b.Line, "%s: arms have a method, and a study its seeds", b.Key)
			default:
				text := cmp.Or(string(b.Value), "{}") // a mapping is a value of no setting
				check(b.Line, presets.Assign(&s, b.Key, []byte(text)))
			}
		}
	}
	if s.Seeds = 1; len(by) == 1 || len(p.errs) > before {
		return s, preset, len(p.errs) == before
	}
	for _, key := range []string{"preset", "method"} {
		if at[key].Key == "" {
			p.fail(last.Line, "%s: no %s: an arm is {preset: NAME, method: NAME} and settings",
				last.Key, key)
			return s, preset, false
		}
	}
	err := s.Validate()
	for _, b := range last.Below {
		if _, is := spec.FindSetting(b.Key); err == nil && is {
			err = s.Unread([]string{b.Key})
		}
	}
	// Runs keep absolute paths. Those of a study are relative to its folder.
	if dir, wrong := filepath.Abs(filepath.Dir(p.of.Word)); wrong == nil {
		s.Dataset = data.Locate(s.Dataset, dir)
		s.SettleProgram(dir)
	}
	line, wrong := last.Line, new(spec.KeyError)
	if errors.As(err, &wrong) {
		line = cmp.Or(at[wrong.Key].Line, line)
	}
	check(line, err)
	return s, preset, err == nil
}

// preset loads a preset that an arm names, and remembers it.
func (p *parser) preset(e Entry) (loaded presets.Preset, err error) {
	var name string
	if err = oneLine(&name)(e); err == nil {
		loaded, err = presets.LoadBeside(p.of.Word, name)
	}
	if !slices.ContainsFunc(p.of.Presets, func(o runner.Preset) bool {
		return o.Name == loaded.Name
	}) {
		p.of.Presets = append(p.of.Presets, loaded.Preset)
	}
	return loaded, err
}

func method(e Entry, s *spec.Spec) error {
	var name dro.Algorithm
	err := value(&name, "a method", nil)(e)
	if err == nil {
		_, err = dro.Find(name)
	}
	if err == nil {
		s.Algorithms = []dro.Algorithm{name}
	}
	return err
}
