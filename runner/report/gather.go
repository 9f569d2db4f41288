package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// Gathered is a study with the runs that there are.
type Gathered struct {
	Study *Study
	Slots []*Slot
	// By has the slot of each arm under each condition: By[condition][arm].
	By           [][]*Slot
	Wanted, Done int
	Missing      []Missing
	Broken       []*record.Run // their numbers are not finite; they count as done
	Failed       []*record.Run // for another reason: their seeds are missing
	Early        []*record.Run // begun before the registration
	Rest         []*record.Run // of no arm
	OtherSeeds   []*record.Run // of an arm, with a seed that is none of the study's
	OtherData    []*record.Run // of an arm, on data that are not those of the others
}

// Slot is the place of the runs of an arm, one for each seed. An arm that has the same settings
// under several conditions has one slot.
type Slot struct {
	Name   string // of the arm, with the condition if there are several slots of it
	Preset string
	Spec   spec.Spec     // but for the seed
	Runs   []*record.Run // ended, one for each seed
}

// Missing is a run that a study lacks.
type Missing struct {
	*Slot
	Seed uint64
	// Begun is the run that is to go on, or is under way; nil if none has begun.
	Begun *record.Run
}

// RunOf returns the slot's run of a seed, or nil.
func (s *Slot) RunOf(seed uint64) *record.Run { return ofSeed(s.Runs, seed) }

func ofSeed(runs []*record.Run, seed uint64) *record.Run {
	return first(runs, func(r *record.Run) bool { return r.Meta.Spec.Seed == seed })
}

// Gather gives each run to the arm whose numbers it computes. A run belongs to an arm by its
// settings, its seed and the checksum of its data, whatever version of the program made it. Of
// several runs that compute the same, the oldest one counts.
func (s *Study) Gather(runs []*record.Run) *Gathered {
	g := &Gathered{Study: s}
	for c := range s.Conditions {
		g.By = append(g.By, nil)
		for a := range s.Arms {
			g.By[c] = append(g.By[c], g.slot(&s.Arms[a], c))
		}
	}
	for a := range s.Arms {
		for c := range g.By {
			if slot := g.By[c][a]; g.By[0][a] != g.By[len(g.By)-1][a] {
				slot.Name = s.Arms[a].Name + " at " + s.Conditions[c].Label
			}
		}
	}
	g.Wanted = len(g.Slots) * len(s.Seeds)
	byAge := slices.SortedStableFunc(slices.Values(runs), func(a, b *record.Run) int {
		return a.Meta.Created.Compare(b.Meta.Created)
	})
	begun, failed := map[*Slot][]*record.Run{}, map[*Slot][]*record.Run{}
	sums := s.checksums(g, byAge)
	for _, r := range byAge {
		slot := g.find(&r.Meta)
		broken := r.Status() == runner.Failed && notFinite(r.Summary().Cause)
		seed := r.Meta.Spec.Seed
		switch {
		case slot == nil:
			g.Rest = append(g.Rest, r)
		case !slices.Contains(s.Seeds, seed):
			g.OtherSeeds = append(g.OtherSeeds, r)
		case r.Meta.Checksum != sums[DataOf(&r.Meta.Spec)]:
			g.OtherData = append(g.OtherData, r)
		case slot.RunOf(seed) != nil:
		case r.Status() == runner.Done || broken:
			slot.Runs = append(slot.Runs, r)
			if broken {
				g.Broken = append(g.Broken, r)
			}
			if r.Meta.Created.Before(s.Registered) {
				g.Early = append(g.Early, r)
			}
		case r.Status() == runner.Failed:
			failed[slot] = append(failed[slot], r)
		default:
			begun[slot] = append(begun[slot], r)
		}
	}
	for _, slot := range g.Slots {
		g.Done += len(slot.Runs)
		slices.SortFunc(slot.Runs, bySeed)
		for _, seed := range s.Seeds {
			if slot.RunOf(seed) != nil {
				continue
			}
			g.Missing = append(g.Missing, Missing{slot, seed, ofSeed(begun[slot], seed)})
			if r := ofSeed(failed[slot], seed); r != nil {
				g.Failed = append(g.Failed, r)
			}
		}
	}
	return g
}

func bySeed(a, b *record.Run) int { return cmp.Compare(a.Meta.Spec.Seed, b.Meta.Spec.Seed) }

// slot returns the slot of an arm under a condition.
func (g *Gathered) slot(a *Arm, condition int) *Slot {
	same := func(o *Slot) bool { return o.Spec.Computes(&a.Specs[condition]) }
	if o := first(g.Slots, same); o != nil {
		return o
	}
	one := &Slot{Name: a.Name, Preset: a.Presets[condition], Spec: a.Specs[condition]}
	g.Slots = append(g.Slots, one)
	return one
}

// find returns the slot of a run, or nil.
func (g *Gathered) find(m *runner.Meta) *Slot {
	return first(g.Slots, func(o *Slot) bool {
		one := m.Spec
		one.Seed = o.Spec.Seed
		return m.Parent == "" && o.Spec.Computes(&one)
	})
}

// DataOf returns a key that is equal for specifications of the same data.
func DataOf(s *spec.Spec) string { return fmt.Sprintf("%s %+v", s.Dataset, s.DataOptions("")) }

// checksums returns the checksum of each of the study's data: that of most runs, which have ended,
// and of the oldest among equals.
func (s *Study) checksums(g *Gathered, byAge []*record.Run) map[string]string {
	count, most := map[[2]string]int{}, map[string]string{}
	for _, r := range slices.Backward(byAge) {
		if g.find(&r.Meta) == nil || r.Status() != runner.Done && r.Meta.Checksum == "" {
			continue
		}
		data := DataOf(&r.Meta.Spec)
		count[[2]string{data, r.Meta.Checksum}]++
		if n := count[[2]string{data, r.Meta.Checksum}]; n >= count[[2]string{data, most[data]}] {
			most[data] = r.Meta.Checksum
		}
	}
	return most
}

// notFinite tells whether a run failed by train.BrokenError.
func notFinite(cause string) bool {
	return slices.ContainsFunc([]string{" is NaN", " is +Inf", " is -Inf"}, func(s string) bool {
		return strings.Contains(cause, s)
	})
}

// Common lists the seeds, from the first on without a gap, that all arms have.
func (g *Gathered) Common() (seeds []uint64) {
	for _, seed := range g.Study.Seeds {
		if slices.ContainsFunc(g.Slots, func(s *Slot) bool { return s.RunOf(seed) == nil }) {
			break
		}
		seeds = append(seeds, seed)
	}
	return seeds
}

// seedsOfRuns lists the seeds of which a run has ended.
func (g *Gathered) seedsOfRuns() []uint64 {
	return slices.DeleteFunc(slices.Clone(g.Study.Seeds), func(seed uint64) bool {
		return !slices.ContainsFunc(g.Slots, func(s *Slot) bool { return s.RunOf(seed) != nil })
	})
}

// Lacks lists the arms that lack runs, with their number.
func (g *Gathered) Lacks() []string {
	list := []string{}
	for _, s := range g.Slots {
		if n := len(g.Study.Seeds) - len(s.Runs); n > 0 {
			list = append(list, fmt.Sprintf("%s: %d of %d", s.Name, n, len(g.Study.Seeds)))
		}
	}
	return list
}

// Own returns the runs of the study's arms.
func (g *Gathered) Own() []*record.Run {
	return slices.Concat(g.Failed, g.OtherData, g.endedRuns(), g.begunRuns())
}

// endedRuns returns the runs of the slots.
func (g *Gathered) endedRuns() []*record.Run {
	return slices.Concat(lists.Map(g.Slots, func(s *Slot) []*record.Run { return s.Runs })...)
}

// begunRuns returns the runs among the missing that are under way, or are to go on.
func (g *Gathered) begunRuns() (runs []*record.Run) {
	for _, m := range g.Missing {
		if m.Begun != nil {
			runs = append(runs, m.Begun)
		}
	}
	return runs
}

// Kernels lists the kernels that made the runs.
func (g *Gathered) Kernels() []string {
	list := lists.Map(g.endedRuns(), func(r *record.Run) string { return r.Meta.Host.Kernel })
	return slices.Compact(slices.Sorted(slices.Values(list)))
}
