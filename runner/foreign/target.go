package foreign

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"drolab/dro"
	"drolab/runner/measure"
)

// target is what becomes of a name of the log.
type target struct {
	measure string // drolab's measure, or the name of a value of the program's own
	group   int    // the place in a measure of groups; −1: none, or the point says it
	percent bool   // the log has percent where drolab has shares
	share   bool   // the measure is a share, from 0 to 1
	of      destination
	stated  bool // by --map
}

// destination is the kind of event that has a measure.
type destination int

const (
	leftOut destination = iota
	ofStep
	ofEval
	ofGroups
	logged // a value of the program's own
)

// targets decides what becomes of names. Once decided, a name keeps its target.
type targets struct {
	known  map[string]target // by --map
	keep   []string          // patterns of the names that are kept first
	groups int
	steps  []string // names that are measures of steps in logs of this kind
	list   map[string]target
	own    map[string]bool // names of the program's own values that are taken
	// over counts the names for which there is no room.
	over map[string]bool
}

// stepNames are the names that mean drolab's measures of steps, by the kind of log. Trainer's loss
// is the mean over the batches since the entry before; its norm is before clipping.
var stepNames = map[string][]string{"trainer": {"loss", "grad_norm"}, "group_dro": {"loss"}}

// newTargets reads the assignments of --map: NAME=MEASURE, NAME=MEASURE/100 for percent, and
// NAME=MEASURE[2] for the third group.
func newTargets(kind *Kind, assignments, keep []string, groups int) (*targets, error) {
	t := &targets{known: map[string]target{}, keep: keep, groups: groups,
		steps: stepNames[kind.Name], list: map[string]target{}, own: map[string]bool{},
		over: map[string]bool{}}
	for _, pattern := range keep {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, fmt.Errorf("--keep %s: expected a pattern such as 'train/*'",
				clean(pattern, mostName))
		}
	}
	for _, a := range assignments {
		at := strings.LastIndexByte(a, '=')
		if at < 1 || at == len(a)-1 {
			return nil, fmt.Errorf("--map %s: expected NAME=MEASURE, as in 'val/acc=val_accuracy'",
				clean(a, mostName))
		}
		one, err := t.parse(a[at+1:])
		if err != nil {
			return nil, fmt.Errorf("--map %s: %w", clean(a, mostName), err)
		}
		t.known[clean(a[:at], mostName)] = one
	}
	return t, nil
}

// parse reads the right side of an assignment.
func (t *targets) parse(text string) (target, error) {
	name, percent := strings.CutSuffix(text, "/100")
	one := target{group: -1, percent: percent, stated: true}
	if at := strings.IndexByte(name, '['); at > 0 && strings.HasSuffix(name, "]") {
		n, err := strconv.Atoi(name[at+1 : len(name)-1])
		if err != nil || n < 0 || n >= t.groups {
			return one, fmt.Errorf("expected the place of a group, from 0 to %d: name the "+
				"groups with --groups", t.groups-1)
		}
		one.group, name = n, name[:at]
	}
	m, ok := measure.FindMeasure(name)
	switch {
	case !ok:
		return one, fmt.Errorf("expected a measure: drolab runs --columns help lists them")
	case m.IsList() && (m.Axis != measure.PerGroup || one.group < 0):
		return one, fmt.Errorf("expected a measure of groups with the place of a group, as in "+
			"group_accuracy[0], not %s", name)
	case !m.IsList() && one.group >= 0:
		return one, fmt.Errorf("%s has one number, not one for each group", name)
	case m.CanApply(needsGroups{}) != m.CanApply(noGroups{}) && t.groups == 0:
		return one, fmt.Errorf("%s is of groups: name them with --groups", name)
	}
	one.measure = name
	one.share, one.of = m.Scale == dro.Percent, destinationOf(&m)
	if percent && !one.share {
		return one, fmt.Errorf("%s is no share: leave out /100", name)
	}
	return one, nil
}

func destinationOf(m *measure.Measure) destination {
	switch {
	case m.IsList():
		return ofGroups
	case m.OfStep():
		return ofStep
	}
	return ofEval
}

// needsGroups and noGroups are runs with groups and without them, to ask which measures need
// groups.
type needsGroups struct{}

func (needsGroups) Measured() (measure.Settings, *measure.Parts, bool) {
	p := &measure.Parts{Classes: make([]string, 2), Groups: make([]string, 1)}
	p.ClassCounts.Val = []int{1}
	return measure.Settings{}, p, true
}

type noGroups struct{}

func (noGroups) Measured() (s measure.Settings, p *measure.Parts, optimum bool) {
	s, p, optimum = needsGroups{}.Measured()
	p.Groups = nil
	return s, p, optimum
}

// of returns the target of a name. A name that is a measure's own is that measure.
func (t *targets) of(p Point) target {
	if one, ok := t.list[p.Name]; ok {
		return one
	}
	one := t.decide(p)
	if one.of == leftOut && !t.kept(p.Name) {
		return one // there may be room later
	}
	t.list[p.Name] = one
	return one
}

func (t *targets) decide(p Point) target {
	if one, ok := t.known[p.Name]; ok {
		return one
	}
	m, ok := measure.FindMeasure(p.Name)
	switch {
	case ok && m.IsList() && m.Axis == measure.PerGroup && p.Group >= 0 && t.groups > 0:
		return target{measure: m.Name, group: -1, share: m.Scale == dro.Percent, of: ofGroups}
	case ok && m.OfStep() && slices.Contains(t.steps, p.Name):
		return target{measure: m.Name, group: -1, of: ofStep}
	case ok && !m.OfStep() && !m.IsList() && p.Group < 0 && plainMeasure(&m) &&
		(t.groups > 0 || m.CanApply(noGroups{})):
		return target{measure: m.Name, group: -1, share: m.Scale == dro.Percent, of: ofEval}
	case p.Group >= 0:
		return target{}
	}
	return t.take(p.Name)
}

// plainMeasure reports whether the meaning of a measure is plain from its name, as it is of
// accuracies and losses. What depends on an uncertainty set is not, and neither is train_loss: most
// programs call a mean over batches so, while they train.
func plainMeasure(m *measure.Measure) bool {
	return (m.Asks == dro.OfNetwork || m.Asks == dro.OfLoss) && m.Name != "train_loss"
}

// kept reports whether --keep names a value. Without --keep, all are.
func (t *targets) kept(name string) bool {
	if len(t.keep) == 0 {
		return true
	}
	return slices.ContainsFunc(t.keep, func(pattern string) bool {
		ok, _ := path.Match(pattern, name) // checked by newTargets
		return ok || pattern == name
	})
}

// asks returns what reports whether the user names a value, for --keep or --map.
func (o *Options) asks() func(name string) bool {
	t := targets{keep: o.Keep}
	return func(name string) bool {
		mapped := func(a string) bool { return strings.HasPrefix(a, name+"=") }
		return len(o.Keep) > 0 && t.kept(name) || slices.ContainsFunc(o.Map, mapped)
	}
}

// mostOwn is the number of bytes that measure.UserName keeps of a name.
const mostOwn = 64

// take makes a name a value of the program's own, if there is room.
func (t *targets) take(name string) target {
	if !t.kept(name) {
		return target{}
	}
	if len(t.own) == measure.MostUser {
		t.over[name] = true
		return target{}
	}
	own, err := measure.UserName(name)
	if err != nil {
		return target{}
	}
	for n := 2; t.own[own]; n++ { // names that differ in what is left out
		tail := "_" + strconv.Itoa(n)
		own, _ = measure.UserName(clean(name, mostOwn-len(tail)) + tail)
	}
	t.own[own] = true
	return target{measure: own, group: -1, of: logged}
}

// decideAll decides about all names of a log, in the order in which it has them. A share is from 0
// to 1: what goes beyond is percent, which the user has to say.
func (t *targets) decideAll(g *gather) error {
	for i, name := range g.names {
		p := Point{Name: name, Group: -1}
		if g.stats[i].lists {
			p.Group = 0
		}
		if g.stats[i].n == 0 {
			continue
		}
		one := t.of(p)
		beyond := g.stats[i].least < 0 || g.stats[i].most > 1 && !one.percent
		if !one.share || !beyond {
			continue
		}
		if one.stated {
			return errors.New(shareAdvice(name, g.stats[i].most, one.measure))
		}
		t.list[name] = t.take(name)
	}
	for name := range t.known {
		if !slices.Contains(g.names, name) {
			return fmt.Errorf("--map: the log has no %q", name)
		}
	}
	return nil
}

// shareAdvice says that a number is no share.
func shareAdvice(name string, x float64, measure string) string {
	return fmt.Sprintf("%s is %.6g, and %s is from 0 to 1: if it is in percent, use "+
		"--map '%s=%s/100'", name, x, measure, name, measure)
}

// all returns the targets of all names.
func (t *targets) all() []target { return slices.Collect(maps.Values(t.list)) }
