package sweep

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// List is the list of a sweep's runs, resolved. A process that trains one of them needs no preset
// and no YAML, and presets of another program change nothing.
type List struct {
	Format int       `json:"format"`
	ID     string    `json:"sweep"` // which the sweep's other files say
	Name   string    `json:"name"`
	Preset string    `json:"preset"`
	Dir    string    `json:"dir"`  // to which the paths of datasets are relative
	Base   spec.Spec `json:"base"` // what all runs have in common
	Select string    `json:"select"`
	// Ties is the rule for settings that are equal by Select: the first in the list, or the lower
	// val_loss. A sweep keeps the rule with which it was started.
	Ties    runner.TieRule `json:"select_ties,omitempty"`
	Halving Halving        `json:"halving,omitzero"`
	Keys    []string       `json:"keys"` // of the settings that vary, without the method
	Runs    []Run          `json:"runs"` // by index; the index of a run never changes
	// File is the sweep file as it was when the sweep was last started. The file beside the list is
	// a copy of it, for people.
	File []byte `json:"file"`
}

// Run is one run of a List.
type Run struct {
	ID        string                     `json:"id"`
	Setting   int                        `json:"setting"` // runs of one setting differ in the seed
	Algorithm dro.Algorithm              `json:"algorithm"`
	Seed      uint64                     `json:"seed"`
	Values    map[string]json.RawMessage `json:"values"` // of the keys that the method reads
}

// Spec returns the specification of run i.
func (l *List) Spec(i int) (spec.Spec, error) {
	s, r := l.Base, &l.Runs[i]
	s.Algorithms = []dro.Algorithm{r.Algorithm}
	s.Seeds, s.Seed = 1, r.Seed
	for _, key := range slices.Sorted(maps.Keys(r.Values)) {
		if err := s.Assign(key, r.Values[key]); err != nil {
			return s, fmt.Errorf("%s: run %d: %w", listName, i, err)
		}
	}
	return s, nil
}

// Label names a setting by its values, the method first: "sfk rho=0.1 lr=0.01".
func (l *List) Label(r *Run) string { return l.label(r, string(r.Algorithm)) }

func (l *List) label(r *Run, label string) string {
	for _, key := range l.Keys {
		if v, ok := r.Values[key]; ok {
			label += fmt.Sprintf(" %s=%s", key, v)
		}
	}
	return label
}

// check refuses what no list of this program has: a run outside of the folder.
func (l *List) check(path string) error {
	if err := record.CheckFormat(l.Format); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := l.Ties.Check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for i, r := range l.Runs {
		if r.ID == "" || r.ID[0] == '.' || strings.ContainsAny(r.ID, `/\`+"\x00") {
			return fmt.Errorf("%s: run %d: %.80q is not the name of a run", path, i, r.ID)
		}
	}
	return nil
}

// equal tells whether two lists say the same.
func (l *List) equal(o *List) bool {
	a, errA := json.Marshal(l)
	b, errB := json.Marshal(o)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// Known reports whether a run before run i has its dataset. That earlier run gives the warnings
// about the dataset.
func (l *List) Known(i int) bool {
	of := func(r Run) string { return string(r.Values["dataset"]) }
	return slices.ContainsFunc(l.Runs[:i], func(r Run) bool { return of(r) == of(l.Runs[i]) })
}

// Approved returns the programs of the sweep's runs, as their user has started them. A program that
// this user has not started is an error, so that a sweep of a stranger starts none.
func (l *List) Approved(own bridge.Approvals) (list []bridge.Approval, err error) {
	seen := map[string]bool{}
	for i := range l.Runs {
		s, err := l.Spec(i)
		if err != nil {
			return nil, err
		}
		s.SettleProgram(l.Dir)
		p, ok := s.Program()
		if !ok || seen[p.Path] {
			continue
		}
		seen[p.Path] = true
		sum, err := own.Check(p.Path)
		if err != nil {
			return nil, fmt.Errorf("model: %w", err)
		}
		list = append(list, bridge.Approval{Path: p.Path, Sum: sum})
	}
	return list, nil
}

// Procs returns the largest number of processes of a run; 1 if no run says how many it has.
func (l *List) Procs() int {
	most := 1
	for i := range l.Runs {
		s, _ := l.Spec(i) // Approved returns the error
		p, _ := s.Program()
		n, _ := p.Procs()
		most = max(most, n)
	}
	return most
}
