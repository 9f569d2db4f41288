package compare

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// swings makes runs whose worst class swings by up to 60 points from evaluation to evaluation,
// early more than late, around a level of each run's own. It returns the worst accuracies, in
// percent.
func swings(random *rand.Rand, epochs int) (runs []StoryRun, worst [][]float64) {
	s := spec.Defaults()
	s.Epochs = epochs
	s.Algorithms = []dro.Algorithm{dro.ERM, dro.PGD, dro.SFK, dro.PAN}
	l := &lot{}
	for _, s := range s.Expand() {
		l.add(random, s, runner.Running, epochs, 0)
		level, list := 20+30*random.Float64(), []float64(nil)
		for i, e := range l.runs[len(l.runs)-1].Evals {
			swing := 60 * (random.Float64() - .5) * (1 - .8*float64(i)/float64(epochs))
			v := max(0, level+swing)
			e.Set("worst_class_accuracy", measure.Num(v/100))
			list = append(list, v)
		}
		worst = append(worst, list)
	}
	return l.runs, worst
}

// subject returns the run that a sentence is about; "" where it is too early.
func subject(t *testing.T, s Story) string {
	t.Helper()
	if strings.HasPrefix(s.Said[0], "too early to say") || s.Scope == "" {
		return ""
	}
	m := regexp.MustCompile(`^(?:.*; )?([^ ,]+),? (?:at|lifts|lowers|reaches|comes|averages) `).
		FindStringSubmatch(s.Said[0])
	if m == nil {
		t.Fatalf("%q is about nobody", s.Said[0])
	}
	return m[1]
}

// TestSubjectHolds looks at runs of different speed whenever one of them is evaluated. The subject
// of the sentence changes only to a run whose mean of five evaluations has been the best for three,
// counted where it was not too early. No sentence comes before a fifth of the run, or while a class
// stands at 0.
func TestSubjectHolds(t *testing.T) {
	const epochs = 60
	changes, silent := 0, 0
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 1))
		runs, worst := swings(random, epochs)
		names := storyNames(runs)
		mean := func(run, epoch int) (sum float64) {
			list := worst[run][max(0, epoch-5):epoch]
			for _, v := range list {
				sum += v / float64(len(list))
			}
			return sum
		}
		early := func(epoch int) bool {
			zero := func(list []float64) bool { return list[epoch-1] == 0 }
			return 5*epoch < epochs || slices.ContainsFunc(worst, zero)
		}
		best := func(epoch int) (name string) {
			at := 1 // the first is the baseline
			for i := range worst {
				if i > 0 && mean(i, epoch) > mean(at, epoch) {
					at = i
				}
			}
			return names[at]
		}
		seen, about := make([]int, len(runs)), ""
		for slices.Min(seen) < epochs-1 { // the runs end at the last epoch
			next := random.IntN(len(runs))
			seen[next] = min(seen[next]+1, epochs-1)
			part := slices.Clone(runs)
			for i := range part {
				part[i].Evals = part[i].Evals[:seen[i]]
			}
			s, common := NewStory(part, 0), slices.Min(seen)
			if common == 0 {
				continue
			}
			where := fmt.Sprintf("seed %d, epoch %d: %q", seed, common, s)
			if s.Epoch != float64(common) {
				t.Fatalf("%s is of epoch %g", where, s.Epoch)
			}
			now := subject(t, s)
			if (now == "") != early(common) {
				t.Fatalf("%s, too early: %v", where, early(common))
			}
			if now == "" {
				silent++
				continue
			}
			var leads []string // the last three that it was not too early for
			for e := common; e > 0 && len(leads) < 3; e-- {
				if !early(e) {
					leads = append(leads, best(e))
				}
			}
			held := len(leads) == 3 && leads[0] == now && leads[1] == now && leads[2] == now
			if about != "" && now != about && !held {
				t.Errorf("%s, after %s: the best were %v", where, about, leads)
			}
			if about != "" && now != about {
				changes++
			}
			about = now
		}
	}
	if changes == 0 || silent == 0 {
		t.Errorf("%d changes, %d times too early", changes, silent)
	}
}
