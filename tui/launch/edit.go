package launch

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner/spec"
	"drolab/tui/kit"
)

// spec returns the spec of the preset under the cursor, as edited: the one that Enter starts.
func (l *Page) spec() *spec.Spec {
	l.presets()
	return &l.specs[l.at]
}

func (l *Page) preset() *presets.Preset { return &l.presets()[l.at] }

// settings returns the rows of the right pane: where the runs start, if there are boxes, and the
// settings that the chosen methods read.
func (l *Page) settings() []spec.Setting {
	list := slices.DeleteFunc(spec.AllSettings(),
		func(t spec.Setting) bool { return !t.ReadIn(l.spec()) })
	if len(l.Config.Boxes) > 0 {
		return slices.Insert(list, 0, l.whereRow())
	}
	return list
}

// text returns the value of a row of the right pane.
func (l *Page) text(key string) string {
	if key == whereKey {
		return cmp.Or(l.where, here)
	}
	return l.spec().Text(key)
}

// setting returns the setting under the cursor. After a change of preset there may be fewer
// settings.
func (l *Page) setting() spec.Setting {
	list := l.settings()
	return list[min(l.row, len(list)-1)]
}

func (l *Page) key() string { return l.setting().Key }

// move moves the cursor of the pane that has the focus.
func (l *Page) move(by int) {
	l.problem = nil
	if l.right {
		l.row = min(max(l.row+by, 0), len(l.settings())-1)
		l.box = 0
		return
	}
	l.at = min(max(l.at+by, 0), len(l.presets())-1)
	l.updatePlan()
}

// updatePlan estimates the time that the runs of the spec under the cursor would take.
func (l *Page) updatePlan() {
	l.plan = estimateOf(l.spec().Expand(), l.past, l.processor().CPU, l.onPlace())
}

// side moves the cursor among the boxes of a row, or takes the next choice of a setting that has
// choices.
func (l *Page) side(by int) {
	if n := len(l.boxesOf(l.key())); n > 0 {
		l.box = min(max(l.box+by, 0), n-1)
	} else {
		l.choose(by)
	}
}

// seedBoxes is the largest number of seeds that the space bar can choose; a larger number is typed.
const seedBoxes = 6

// space toggles the box under the cursor, takes the next choice, or starts the typing of a value.
func (l *Page) space() {
	switch {
	case l.key() == "algorithms":
		l.toggleMethod(dro.Algorithms()[l.box])
	case l.key() == "seeds":
		n := l.box + 1
		if n <= l.spec().Seeds {
			n = max(1, l.box) // the box is unticked, with those behind it
		}
		l.set("seeds", strconv.Itoa(n))
	case l.choices() != nil:
		l.choose(1)
	default:
		l.edit()
	}
}

func (l *Page) toggleMethod(a dro.Algorithm) {
	list := slices.DeleteFunc(dro.Algorithms(), func(b dro.Algorithm) bool {
		return slices.Contains(l.spec().Algorithms, b) == (a == b)
	})
	if len(list) == 0 {
		l.problem = errors.New("algorithms: keep at least one method")
		return
	}
	l.set("algorithms", spec.FlowText(list))
}

// choices returns the values among which the space bar chooses for the setting under the cursor,
// nil for a setting that is typed.
func (l *Page) choices() []string {
	t := l.setting()
	if t.Choices == nil {
		return nil
	}
	return t.Choices()
}

// choose takes the next choice (by = 1) or the one before (by = -1). It skips a choice that makes
// the spec invalid, and the page shows the error of the first one skipped.
func (l *Page) choose(by int) {
	choices := l.choices()
	n := len(choices)
	var refused error
	for k := 1; k < n; k++ {
		at := slices.Index(choices, l.text(l.key())) + k*by
		l.set(l.key(), choices[(at%n+n)%n])
		if l.problem == nil {
			break
		}
		refused = cmp.Or(refused, l.problem)
	}
	l.problem = refused
}

// edit starts the typing of a value for the setting under the cursor. The old value is selected, so
// that the first letter replaces it.
func (l *Page) edit() {
	l.editing, l.problem = true, nil
	l.line = kit.NewSelected(l.text(l.key()))
}

// checkTyped checks the typed line after a key.
func (l *Page) checkTyped() { _, l.problem = l.withSetting(l.key(), l.line.String()) }

// finish takes the typed line if it is valid; otherwise typing goes on.
func (l *Page) finish() {
	l.set(l.key(), l.line.String())
	if l.problem == nil {
		l.editing = false
	}
}

// undo resets the setting under the cursor to the value of the preset.
func (l *Page) undo() {
	value := l.preset().Spec.Text(l.key())
	if l.key() == whereKey {
		value = here
	}
	l.set(l.key(), value)
}

// set changes a setting if the result is valid; otherwise it keeps the error for the page to show.
// The cursor stays on the setting, although others may come or go above it.
func (l *Page) set(key, text string) {
	if key == whereKey {
		if l.problem = l.checkPlace(text); l.problem == nil {
			l.choosePlace(text)
		}
		return
	}
	s, err := l.withSetting(key, text)
	l.problem = err
	if err == nil {
		l.specs[l.at] = s
		at := slices.IndexFunc(l.settings(), func(t spec.Setting) bool { return t.Key == key })
		l.row = max(0, at)
		l.updatePlan()
	}
}

// withSetting returns the spec with one setting changed, and the error that makes it invalid. A
// start (λ, η) that is outside the box of another set moves into it, since otherwise the sets of
// most presets could not be chosen.
func (l *Page) withSetting(key, text string) (spec.Spec, error) {
	s := *l.spec()
	if key == whereKey {
		return s, l.checkPlace(text)
	}
	if err := presets.Set(&s, key+"="+text); err != nil {
		return s, err
	}
	err := s.Validate()
	if err != nil && key != "lambda" && key != "eta" && s.MoveStart() == nil {
		err = s.Validate()
	}
	return s, err
}

// edited reports whether a setting differs from the preset's.
func (l *Page) edited(key string) bool {
	return key != whereKey && l.spec().Text(key) != l.preset().Spec.Text(key)
}

// origin says where the value of a setting comes from. For an edited setting it returns the
// preset's value, for an override of the preset its reason, otherwise "".
func (l *Page) origin(key string) string {
	p := l.preset()
	switch {
	case key == whereKey:
		return l.unreached()
	case l.edited(key):
		return "preset: " + p.Spec.Text(key)
	case slices.Contains(p.Overrides, key):
		return p.Reasons[key]
	}
	return ""
}

// fromPreset returns the preset's value of a setting, with its reason if it gives one. It returns
// "" where the page shows that value anyway and there is no reason.
func (l *Page) fromPreset(key string) string {
	p := l.preset()
	value, reason := p.Spec.Text(key), p.Reasons[key]
	switch {
	case reason != "":
		return value + ": " + reason
	case l.edited(key):
		return value
	}
	return ""
}
