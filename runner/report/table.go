package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// This file puts runs that are none of the study's arms beside them: further arms of a condition,
// and variations of one setting.

// experiment is a set of runs that differ in nothing but the method, the settings that only some
// methods read, and the seed.
type experiment struct {
	settings []string // the data's checksum and the values of the shared settings
	runs     []*record.Run
}

// sharedSettings lists the settings that every method reads and that decide what a run computes.
func sharedSettings() []spec.Setting {
	return slices.DeleteFunc(spec.AllSettings(), func(t spec.Setting) bool {
		return t.Viewed() || t.Key == "algorithms" || t.Key == "seed" || dro.ReadBySome(t.Key)
	})
}

// experiments sorts runs into experiments.
func experiments(runs []*record.Run) (list []*experiment) {
	settings := sharedSettings()
	trained := func(r *record.Run) bool { return r.Meta.Imported == nil }
	imported := func(r *record.Run) bool { return r.Meta.Imported != nil }
	for _, r := range slices.Concat(slices.DeleteFunc(slices.Clone(runs), imported),
		slices.DeleteFunc(slices.Clone(runs), trained)) {
		values := []string{r.Meta.Checksum}
		for _, t := range settings {
			values = append(values, t.Text(&r.Meta.Spec))
		}
		same := func(e *experiment) bool { // an imported run has no settings of training
			for i, v := range values {
				if v != e.settings[i] && (i == 0 || settings[i-1].ReadIn(&r.Meta.Spec)) {
					return false
				}
			}
			return true
		}
		i := slices.IndexFunc(list, same)
		if i < 0 {
			i, list = len(list), append(list, &experiment{settings: values})
		}
		list[i].runs = append(list[i].runs, r)
	}
	return list
}

// differingKeys lists the keys in which two experiments differ; otherData stands for the content of
// the data.
func (e *experiment) differingKeys(o *experiment) (keys []string) {
	for i, t := range append([]spec.Setting{{Key: otherData}}, sharedSettings()...) {
		if e.settings[i] != o.settings[i] {
			keys = append(keys, t.Key)
		}
	}
	return keys
}

// holdsArmOf reports whether an arm of the study under the condition is a part of the experiment.
// Without arms every run is described.
func (p *Problem) holdsArmOf(e *experiment) bool {
	return len(p.own) == 0 || p.ownOf(e.runs) != nil
}

// tabulate makes the tables of the conditions that have runs, with further arms, and returns the
// experiments that belong to no condition.
func (r *Report) tabulate(g *Gathered, o Options) (others []*experiment, err error) {
	done := slices.DeleteFunc(slices.Concat(g.Rest, g.OtherData, g.ended()),
		func(r *record.Run) bool { return r.Status() != runner.Done })
	r.Made = countMakers(done)
	list := experiments(done)
	for _, p := range r.conditions {
		var runs []*record.Run
		for _, e := range list {
			if p.holdsArmOf(e) {
				runs = append(runs, e.runs...)
			}
		}
		if len(runs) == 0 {
			continue
		}
		if err := p.tabulate(p.setProbesApart(runs), o); err != nil {
			return nil, err
		}
		r.Problems = append(r.Problems, p)
		for _, n := range p.Table.Notes {
			if n.Kind != compare.Seen && n.Kind != compare.Problem {
				r.note("%s: %s", p.Label, n.Text)
			}
		}
	}
	return slices.DeleteFunc(list, func(e *experiment) bool {
		return slices.ContainsFunc(r.conditions, func(p *Problem) bool { return p.holdsArmOf(e) })
	}), nil
}

// tabulate makes the table of some runs. The row of an arm of the study has its label. Beside the
// arms of a study the table is of the last iterate, of which the claims are. Other runs are at the
// step that drolab compare chooses.
func (p *Problem) tabulate(runs []*record.Run, o Options) (err error) {
	of := compare.Options{Level: level, Tested: p.starred(),
		Family: cmp.Or(o.Family, compare.AllMeasures)}
	if len(p.own) > 0 {
		of.At = compare.Last
	}
	p.Table, p.arms = rows(runs, of)
	p.Label = cmp.Or(p.Label, p.Table.Rows[0].Problem)
	for i, a := range p.arms {
		own := p.ownOf(spec.Map(a.runs, func(r *ran) *record.Run { return r.Run }))
		if own != nil {
			a = own
		} else {
			for j := range a.runs {
				if a.runs[j], err = readLog(a.runs[j].Run); err != nil {
					return err
				}
			}
		}
		row := &p.Table.Rows[i]
		for _, r := range a.runs {
			r.selected = p.Table.At == compare.Selected && row.At == ""
		}
		row.Label = cmp.Or(a.label, withC(&a.runs[0].Meta.Spec, row.Label))
		a.label, p.arms[i] = row.Title(), a
	}
	p.costs()
	p.classes()
	return nil
}

// withC adds C to the label of sfk: the paper's algorithm is another one with every C.
func withC(s *spec.Spec, label string) string {
	if s.Algorithm() == dro.SFK && !strings.Contains(label, " c=") {
		label += " c=" + s.Text("c")
	}
	return label
}

// rows makes a table of runs, and the arms that are its rows, without their labels and logs.
func rows(runs []*record.Run, of compare.Options) (*compare.Table, []*arm) {
	t, arms := compare.Runs(runs, of), []*arm{}
	for _, row := range t.Rows {
		a := new(arm)
		for _, id := range row.Runs {
			r := first(runs, func(r *record.Run) bool { return r.Meta.ID == id })
			a.runs = append(a.runs, &ran{Run: r})
		}
		arms = append(arms, a)
	}
	return t, arms
}

// ownOf returns the arm of the study that has some of the runs, or nil.
func (p *Problem) ownOf(runs []*record.Run) *arm {
	return first(p.own, func(a *arm) bool {
		return len(a.runs) > 0 && slices.Contains(runs, a.runs[0].Run)
	})
}

// arm returns the arm of the study with that method that has runs, or nil.
func (p *Problem) arm(method dro.Algorithm) *arm {
	return first(p.own, func(a *arm) bool { return len(a.runs) > 0 && a.method() == method })
}

func (a *arm) method() dro.Algorithm { return a.runs[0].Meta.Spec.Algorithm() }

// base returns the arm with which the others are compared, that of the baseline's method, or nil.
func (p *Problem) base() *arm {
	if len(p.own) > 0 {
		return p.arm(dro.Baseline())
	}
	return first(p.arms, func(a *arm) bool { return a.method() == dro.Baseline() })
}

// starred returns the condition for runs that are tested for stars: that they are of the arms of
// the study, if it has several, so that runs of further arms change no star. It is nil if all are
// tested.
func (p *Problem) starred() func(*runner.Meta) bool {
	var ids []string
	arms := 0
	for _, a := range p.own {
		if slices.ContainsFunc(a.runs, func(r *ran) bool { return r.Status() == runner.Done }) {
			arms++
		}
		for _, r := range a.runs {
			ids = append(ids, r.Meta.ID)
		}
	}
	if arms < 2 {
		return nil
	}
	return func(m *runner.Meta) bool { return slices.Contains(ids, m.ID) }
}

// starsText returns a sentence that names the arms that are tested for stars, or "" if all are.
func (p *Problem) starsText() string {
	var names []string
	for _, a := range p.arms {
		if a.name != "" {
			names = append(names, a.label)
		}
	}
	if len(names) < 2 || len(names) == len(p.arms) {
		return ""
	}
	return " Stars are between the arms of the claims alone: " + strings.Join(names, ", ") + "."
}

// particular lists the settings that the method reads and that not every method reads.
func particular(a dro.Algorithm) []spec.Setting {
	m, err := dro.Find(a)
	return slices.DeleteFunc(spec.AllSettings(), func(t spec.Setting) bool {
		return t.Viewed() || !dro.ReadBySome(t.Key) || err != nil || !t.ReadBy(m)
	})
}

// setProbesApart takes runs with changed settings out of the experiment of a published table: runs
// of the method of an arm that has runs, with fewer seeds than the study. Few seeds show a
// direction, which belongs to the sensitivity and not into a column of that table.
func (p *Problem) setProbesApart(runs []*record.Run) (rest []*record.Run) {
	values := func(r *record.Run) string {
		a := r.Meta.Spec.Algorithm()
		texts := []string{string(a)}
		for _, t := range particular(a) {
			texts = append(texts, t.Text(&r.Meta.Spec))
		}
		return strings.Join(texts, "\n")
	}
	like := map[string]int{}
	for _, r := range runs {
		like[values(r)]++
	}
	enough := max(2, len(p.study.Seeds))
	for _, r := range runs {
		own := p.ownOf([]*record.Run{r}) != nil || like[values(r)] >= enough
		if p.study.Published != nil && !own && p.arm(r.Meta.Spec.Algorithm()) != nil {
			p.probes = append(p.probes, r)
		} else {
			rest = append(rest, r)
		}
	}
	return rest
}

// describe returns a study without arms and claims, for runs that belong to none.
func describe(runs []*record.Run) (*Study, error) {
	done := first(runs, func(r *record.Run) bool { return r.Status() == runner.Done })
	if done == nil {
		return nil, fmt.Errorf("none of the %d run(s) is done: a report is of finished ones",
			len(runs))
	}
	of := &done.Meta.Spec
	return &Study{Title: strings.TrimSuffix("Report on "+of.Dataset+", "+of.Model, ", "),
		Conditions: []Condition{{}}}, nil
}

// methods counts the methods of an experiment.
func (e *experiment) methods() int {
	seen := map[dro.Algorithm]bool{}
	for _, r := range e.runs {
		seen[r.Meta.Spec.Algorithm()] = true
	}
	return len(seen)
}

// Cost is the time that the training of an arm took. The runs shared their machine with others, so
// only ratios between runs made at the same time mean something.
type Cost struct {
	Arm     string         `json:"arm"`
	Seeds   int            `json:"seeds"`
	Step    measure.Number `json:"seconds_per_step"`     // mean over seeds
	StepStd measure.Number `json:"seconds_per_step_std"` // divisor n−1
	Minutes measure.Number `json:"minutes"`              // of the whole training, mean over seeds
	// Ratio is the logarithm of the time of a step divided by the baseline's.
	Ratio Difference `json:"log_ratio_to_base"`
}

func (p *Problem) costs() {
	base := p.base()
	for _, a := range p.arms {
		if a.runs[0].Meta.Imported != nil {
			continue
		}
		step := a.mean(func(r *ran) measure.Number { // without evaluations
			speed := r.Summary().ImagesPerSecond.Float()
			return measure.Num(float64(r.Meta.Spec.Batch) / speed)
		})
		minutes := a.mean(func(r *ran) measure.Number { return measure.Num(r.seconds / 60) })
		c := Cost{
			Arm:     a.label,
			Seeds:   len(a.runs),
			Step:    step.Mean,
			StepStd: step.Std,
			Minutes: minutes.Mean,
			Ratio:   emptyDifference(),
		}
		if base != nil && a != base {
			c.Ratio = differenceOf(a, base, stepTime, 0)
		}
		p.Costs = append(p.Costs, c)
	}
}

// ClassRow is a class or group with the differences in accuracy to the baseline.
type ClassRow struct {
	Class       string         `json:"class"`
	Train       int            `json:"train"`
	Few         bool           `json:"few,omitempty"` // fewer test samples than min_group
	Base        measure.Number `json:"base"`          // mean accuracy of the baseline
	Arms        []string       `json:"arms"`
	Differences []Difference   `json:"differences"`
}

// classes compares every arm whose classes are the baseline's with it, by class. The tests of the
// study's arms are one family, and the tests of each other arm form a family of their own.
func (p *Problem) classes() {
	base := p.base()
	if base == nil {
		return
	}
	m := &base.runs[0].Meta
	measured := m.MeasureFor("class_accuracy")
	names := m.Names(m.Main())
	for i, name := range names {
		row := ClassRow{Class: name}
		if counts := m.Counts(m.Main()); i < len(counts.Train) && i < len(counts.Test) {
			row.Train, row.Few = counts.Train[i], counts.Test[i] < m.Spec.MinGroup
		}
		value := func(r *ran) measure.Number {
			return pooled(r.results(), measured, []int{i})
		}
		row.Base = base.mean(value).Mean
		for _, a := range p.arms {
			own := &a.runs[0].Meta
			if a != base && own.Spec.Dataset == m.Spec.Dataset &&
				slices.Equal(own.Names(m.Main()), names) {
				row.Arms = append(row.Arms, a.label)
				d := differenceOf(a, base, ofEachRun(value), 0)
				row.Differences = append(row.Differences, d)
			}
		}
		p.Classes = append(p.Classes, row)
	}
	families := map[string][]*Difference{}
	for i := range p.Classes {
		row := &p.Classes[i]
		for j, name := range row.Arms {
			if len(p.own) == 0 || slices.ContainsFunc(p.own, func(a *arm) bool {
				return a.label == name
			}) {
				name = ""
			}
			families[name] = append(families[name], &row.Differences[j])
		}
	}
	for _, list := range families {
		adjust(list, level, Holm)
	}
}

// tick is the timing of some steps of a run, equally many at every tick: when the last of them
// ended, and how long one took without evaluations.
type tick struct {
	end     time.Time
	seconds float64 // of one step
}

// stepTime compares the logarithms of a step's time in two runs, over the time in which both
// trained, so that other work of the machine slowed both. It does not apply to runs that did not
// train side by side for most of the longer training.
func stepTime(a, b *ran) (x, y float64) {
	const most = 0.7
	if len(a.ticks) == 0 || len(b.ticks) == 0 {
		return math.NaN(), math.NaN()
	}
	from, to := a.trained()
	first, last := b.trained()
	long := max(to.Sub(from), last.Sub(first))
	if first.After(from) {
		from = first
	}
	if last.Before(to) {
		to = last
	}
	if to.Sub(from).Seconds() < most*long.Seconds() {
		return math.NaN(), math.NaN()
	}
	return math.Log(a.pace(from, to)), math.Log(b.pace(from, to))
}

// trained returns the times of a run's first and last tick, between which it trained.
func (r *ran) trained() (from, to time.Time) { return r.ticks[0].end, r.ticks[len(r.ticks)-1].end }

// pace returns the median time of a step between two times, in seconds, or NaN without a step. A
// step during which the process was held does not move the median, as it would move a mean.
func (r *ran) pace(from, to time.Time) float64 {
	var seconds []float64
	for _, t := range r.ticks {
		if !t.end.Before(from) && !t.end.After(to) {
			seconds = append(seconds, t.seconds)
		}
	}
	if len(seconds) == 0 {
		return math.NaN()
	}
	slices.Sort(seconds)
	return (seconds[(len(seconds)-1)/2] + seconds[len(seconds)/2]) / 2
}

// MeanRow has the means of a measure at the last iterate, for each arm of the study. They describe
// the runs; no test uses them.
type MeanRow struct {
	Problem string `json:"problem"`
	Measure string `json:"measure"`
	Class   string `json:"class,omitempty"` // without one, class_accuracy is of the lowest classes
	Arms    []Mean `json:"arms"`

	title string
	value func(*ran) measure.Number
}

// Mean is a mean over the seeds of an arm, with the standard deviation (divisor n − 1). Neither
// applies if no run has the measure.
type Mean struct {
	Arm   string         `json:"arm"`
	Seeds int            `json:"seeds"`
	Mean  measure.Number `json:"mean"`
	Std   measure.Number `json:"std"`
}

// meansOf describes all arms under each condition. An arm with the same runs under each is
// described each time; its robust risk alone differs.
func (r *Report) meansOf(rows func(*Problem) []MeanRow) (list []MeanRow) {
	for _, p := range r.conditions {
		for _, row := range rows(p) {
			applies := 0
			for _, a := range p.own {
				row.Arms = append(row.Arms, a.mean(row.value))
				applies += row.Arms[len(row.Arms)-1].Seeds
			}
			if applies > 0 {
				list = append(list, row)
			}
		}
	}
	return list
}

// meanRows lists the rows of a table of means, still without arms: accuracies by class, as in a
// published table, and the measures of the study.
func (r *Report) meanRows(p *Problem) (rows []MeanRow) {
	row := func(name, class, title string, value func(*ran) measure.Number) {
		rows = append(rows, MeanRow{Problem: p.Label, Measure: name, Class: class, title: title,
			value: value})
	}
	if m := p.meta(); m != nil {
		name := m.MeasureFor(classAccuracy)
		for i, class := range m.Names(m.Main()) {
			row(name, class, class, func(r *ran) measure.Number {
				return pooled(&r.Summary().Results, name, []int{i})
			})
		}
	}
	if t := r.study.Published; t != nil && len(t.Low) > 0 {
		row(classAccuracy, "", classList(t.Low), func(r *ran) measure.Number {
			return pooled(&r.Summary().Results, classAccuracy, t.Low)
		})
	}
	return append(rows, lastRows(p, worstClass, worstGroup, "test_accuracy", "train_loss",
		"test_loss", "train_objective", robustRisk)...)
}

// lastRows lists a row for each of some measures.
func lastRows(p *Problem, names ...string) (rows []MeanRow) {
	for _, name := range names {
		rows = append(rows, MeanRow{Problem: p.Label, Measure: name, title: headOf(name),
			value: lastOf(name, p.condition.Radius)})
	}
	return rows
}

// mean returns the mean of the finite values of the arm's runs.
func (a *arm) mean(value func(*ran) measure.Number) Mean {
	var values []measure.Number
	for _, r := range a.runs {
		if x := value(r); x.Finite() {
			values = append(values, x)
		}
	}
	m := Mean{Arm: a.label}
	m.Seeds, m.Mean, m.Std, _ = compare.Describe(values, level)
	return m
}

func (m *Mean) text(measured string) string { return style(measured).With(m.Mean, m.Std) }

// meanTables returns, for each condition, a table with a column for each arm, beside the published
// column for it if accuracies are among the rows.
func (r *Report) meanTables(rows []MeanRow) (list []page.Block) {
	printed := slices.ContainsFunc(rows, func(r MeanRow) bool { return r.Class != "" })
	for _, p := range r.conditions {
		t := page.New(p.Label)
		for _, row := range rows {
			if row.Problem != p.Label {
				continue
			}
			t.Columns = t.Columns[:1]
			cells := []string{row.title}
			for i, m := range row.Arms {
				cells = append(cells, m.text(row.Measure))
				t.Head(m.Arm)
				if a := p.own[i]; printed && p.published(a) {
					cells = append(cells, p.cell(a, row.Measure, row.Class))
					t.Columns = append(t.Columns, ofPaper)
				}
			}
			t.Add(cells...)
		}
		list = append(list, t)
	}
	return list
}

// meta returns a run's settings and classes, or nil without a run.
func (p *Problem) meta() *runner.Meta {
	for _, a := range slices.Concat(p.own, p.arms) {
		if len(a.runs) > 0 {
			return &a.runs[0].Meta
		}
	}
	return nil
}

// hasGroups reports whether the data have groups.
func (p *Problem) hasGroups() bool {
	m := p.meta()
	return m != nil && len(m.Groups) > 0
}

// published reports whether the published table has a column for the arm.
func (p *Problem) published(a *arm) bool {
	return p.study.Published != nil && p.study.Published.Rows[a.name] != nil
}

// cell formats the published value of a measure. Without a class, class_accuracy is the mean of the
// lowest classes.
func (p *Problem) cell(a *arm, measured, class string) string {
	t := p.study.Published
	row := t.Rows[a.name]
	i := slices.Index(p.meta().Classes, class)
	switch {
	case measured == classAccuracy && i >= 0 && i < len(row):
		return fmt.Sprintf("%.2f", row[i])
	case measured == classAccuracy:
		sum := 0.0
		for _, i := range t.Low {
			sum += row[i] / float64(len(t.Low))
		}
		return fmt.Sprintf("%.2f", sum)
	case measured == worstClass:
		return fmt.Sprintf("%.2f", slices.Min(row))
	case measured == "test_accuracy":
		return fmt.Sprintf("%.2f", t.Mean(a.name))
	}
	return page.None
}

// shortTable returns one table of four measures, and of the worst group where the data have groups,
// or the state of registered runs as long as some are missing. In a study that is not registered,
// an arm with a single seed, which has no spread, is left out.
func (r *Report) shortTable() string {
	if r.registered() && len(r.Means) == 0 {
		return page.Markdown(page.Text(r.state()))
	}
	measures := []string{worstClass, "test_accuracy", "test_loss", robustRisk}
	if slices.ContainsFunc(r.conditions, (*Problem).hasGroups) {
		measures = slices.Insert(measures, 1, worstGroup)
	}
	t := page.New("method", "seeds")
	for _, name := range measures {
		t.Head(headOf(name))
	}
	for _, p := range r.conditions {
		arms := p.own
		if !r.registered() {
			single := func(a *arm) bool { return len(a.runs) < 2 }
			arms = slices.DeleteFunc(slices.Clone(p.arms), single)
		}
		for _, a := range arms {
			row := []string{p.Label + ": " + a.label, fmt.Sprint(len(a.runs))}
			for _, name := range measures {
				of := statisticOf(name, p.condition.Radius)
				m := a.mean(func(r *ran) measure.Number { return of.at(&r.Meta, r.results(), 0) })
				row = append(row, m.text(name))
			}
			t.Add(row...)
		}
	}
	return page.Markdown(t)
}
