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

// spec is the one that Enter starts.
func (l *Page) spec() *spec.Spec {
	l.presets()
	return &l.specs[l.at]
}

func (l *Page) preset() *presets.Preset { return &l.presets()[l.at] }

// settings are the rows of the right pane: what the chosen methods read.
func (l *Page) settings() []spec.Setting {
	return slices.DeleteFunc(spec.AllSettings(),
		func(t spec.Setting) bool { return !t.ReadIn(l.spec()) })
}

// setting is the one under the cursor. Another preset may have fewer.
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
	l.reckon()
}

// reckon estimates the time of what is shown now.
func (l *Page) reckon() { l.plan = estimateOf(l.spec().Expand(), l.past, l.Config.CPU) }

// side moves among the boxes of a row, or to the next choice of a setting that
// has some.
func (l *Page) side(by int) {
	if n := l.boxes(); n > 0 {
		l.box = min(max(l.box+by, 0), n-1)
	} else {
		l.choose(by)
	}
}

// seedBoxes is how many seeds can be chosen with the space bar; more are typed.
const seedBoxes = 6

// boxes is the number of boxes in the row under the cursor.
func (l *Page) boxes() int {
	switch l.key() {
	case "algorithms":
		return len(dro.Algorithms())
	case "seeds":
		return seedBoxes
	}
	return 0
}

// space toggles the box under the cursor, takes the next choice, or starts to
// type.
func (l *Page) space() {
	switch {
	case l.key() == "algorithms":
		l.toggleMethod(dro.Algorithms()[l.box])
	case l.key() == "seeds":
		n := l.box + 1
		if n == l.spec().Seeds {
			n = max(1, n-1) // the last one goes
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

// choices are the values that the setting under the cursor is chosen from with
// the space bar; nil where it is typed.
func (l *Page) choices() []string {
	t := l.setting()
	if t.Choices == nil {
		return nil
	}
	return t.Choices()
}

// choose takes the choice that stands by places, 1 or -1, after the present one. One that is
// refused is passed over, and the page says why.
func (l *Page) choose(by int) {
	choices := l.choices()
	n := len(choices)
	var refused error
	for k := 1; k < n; k++ {
		at := slices.Index(choices, l.spec().Text(l.key())) + k*by
		if l.set(l.key(), choices[(at%n+n)%n]); l.problem == nil {
			break
		}
		refused = cmp.Or(refused, l.problem)
	}
	l.problem = refused
}

// edit starts to type the setting under the cursor.
func (l *Page) edit() {
	l.editing, l.problem = true, nil
	l.line = kit.NewInput(l.spec().Text(l.key()))
}

// typed checks the line after a key.
func (l *Page) typed() { _, l.problem = l.changed(l.key(), l.line.String()) }

// finish takes the line if it is valid; else typing goes on.
func (l *Page) finish() {
	if l.set(l.key(), l.line.String()); l.problem == nil {
		l.editing = false
	}
}

// undo goes back to what the preset says of the setting under the cursor.
func (l *Page) undo() { l.set(l.key(), l.preset().Spec.Text(l.key())) }

// set changes a setting if the result is valid, or says why not.
func (l *Page) set(key, text string) {
	s, err := l.changed(key, text)
	if l.problem = err; err == nil {
		l.specs[l.at] = s
		l.reckon()
	}
}

// changed is the spec with one setting changed, and what is wrong with it.
func (l *Page) changed(key, text string) (spec.Spec, error) {
	s := *l.spec()
	if err := presets.Set(&s, key+"="+text); err != nil {
		return s, err
	}
	return s, s.Validate()
}

// edited tells whether a setting differs from the preset's.
func (l *Page) edited(key string) bool {
	return l.spec().Text(key) != l.preset().Spec.Text(key)
}

// origin says where the value of a setting comes from: what it was, or the
// preset's reason.
func (l *Page) origin(key string) string {
	p := l.preset()
	switch {
	case l.edited(key):
		return "preset: " + p.Spec.Text(key)
	case slices.Contains(p.Overrides, key):
		return p.Reasons[key]
	}
	return ""
}

// fromPreset is what the preset says of a setting, and why; empty where it
// says nothing that is not to be seen anyway.
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
