package story

import (
	"fmt"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/record"
)

// Run is what a story needs of a run.
type Run struct {
	Meta   *runner.Meta
	Status runner.Status
	Evals  []*runner.EvalEvent // without those that a resume took back, in the order of their steps
	// Name is the name of the run and Key its configuration. Tell finds both if they are empty. A
	// caller that tells the same story often keeps them, since finding them reads all settings.
	Name, Key string
}

// Story is a sentence in parts, so that a narrow screen can leave out the last of them.
type Story struct {
	Epoch float64  // the last epoch that the compared runs have in common; 0 without one
	Scope string   // what it covers: "Epoch 32, in this seed"; "" where nothing can be said yet
	Said  []string // the clauses, the most important first; "and ..." continues the one before
	Out   []string // clauses on the runs that are left out, which always stay
}

// Plain returns the index of the baseline if nobody has chosen one, or -1. It is the first run of
// the plain method, in the configuration of which the most runs did not fail.
func Plain(runs []Run) int {
	best, most := -1, -1
	for i, r := range runs {
		if r.Meta.Spec.Algorithm() != dro.Baseline() {
			continue
		}
		n := 0
		for _, o := range runs {
			if o.Status != runner.Failed &&
				compare.Configuration(o.Meta) == compare.Configuration(r.Meta) {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}

// Tell says what the runs have come to. The baseline is an index into runs, -1 for none.
func Tell(runs []Run, baseline int) Story {
	if len(runs) == 0 {
		return Story{Said: []string{"Waiting for runs"}}
	}
	cast := gather(known(runs), baseline)
	if cast.waits != "" {
		return Story{Epoch: cast.epoch(), Said: []string{cast.waits}, Out: cast.out}
	}
	return cast.facts().story(cast.out)
}

// Of tells the story of recorded runs, from their logs, against the plain method.
func Of(runs []*record.Run) (Story, error) {
	var list []Run
	for _, r := range runs {
		log := r.Tail()
		log.Only((&runner.EvalEvent{}).Kind())
		h, err := record.ReadHistory(log, nil)
		if err != nil {
			return Story{}, fmt.Errorf("run %s: %w", r.Meta.ID, err)
		}
		list = append(list, Run{Meta: &r.Meta, Status: r.Status(), Evals: h.Evals})
	}
	return Tell(list, Plain(list)), nil
}

// String returns the whole sentence.
func (s Story) String() string { return s.Fit(func(string) bool { return true }) }

// Fit returns the longest form of the sentence that fits, or else the shortest. The last clauses
// are dropped first; the clauses on runs that are left out stay.
func (s Story) Fit(fits func(string) bool) string {
	for n := len(s.Said); ; n-- {
		if text := s.sentence(n); n <= 1 || fits(text) {
			return text
		}
	}
}

// sentence returns the sentence with the first n clauses.
func (s Story) sentence(n int) string {
	var b strings.Builder
	if s.Scope != "" {
		b.WriteString(s.Scope + ": ")
	}
	for i, clause := range slices.Concat(s.Said[:min(n, len(s.Said))], s.Out) {
		switch {
		case i == 0:
		case strings.HasPrefix(clause, "and "):
			b.WriteString(" ")
		default:
			b.WriteString("; ")
		}
		b.WriteString(clause)
	}
	return b.String() + "."
}

// known returns the runs with their configurations and with their names from compare.Names, which
// every table uses.
func known(runs []Run) []Run {
	runs = slices.Clone(runs)
	var names []string
	for i := range runs {
		if runs[i].Name == "" && names == nil {
			names = Names(runs)
		}
		if runs[i].Name == "" {
			runs[i].Name = names[i]
		}
		if runs[i].Key == "" {
			runs[i].Key = compare.Configuration(runs[i].Meta)
		}
	}
	return runs
}

// Names returns the names of the runs, by index.
func Names(runs []Run) []string {
	var metas []*runner.Meta
	for _, r := range runs {
		metas = append(metas, r.Meta)
	}
	return compare.Names(metas)
}

// list joins names as in a sentence. Of more than three it names two and counts the rest.
func list(names []string) string {
	const most = 3
	if n := len(names); n > most {
		names = append(slices.Clone(names[:most-1]), fmt.Sprintf("%d more", n-most+1))
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
