package launch

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/runner/train"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// viewPlan shows the purpose of the preset, the meaning of the setting under the cursor, or what is
// wrong. Below it stands what a start needs: data, time, and the problem with each "auto" value
// derived.
func (l *Page) viewPlan(w, h int) []string {
	t := l.Theme
	points := []kit.Point{{Name: "Purpose", Text: l.preset().Doc}}
	if l.right {
		s := l.setting()
		points[0] = kit.Point{Name: "Means", Text: s.Doc, Whole: true}
		if preset := l.fromPreset(s.Key); preset != "" && h > 4 {
			points = append(points, kit.Point{Name: "Preset", Text: preset, Whole: true})
		}
	}
	if l.problem != nil {
		points[0] = kit.Point{Text: "! " + cell.OneLine(l.problem.Error()),
			Style: t.Bad, Whole: true}
	}
	rest := []kit.Point{{Name: "Time", Text: l.time()}, {Name: "Problem", Text: l.resolved()},
		{Name: "Budget", Text: l.budget()}}
	if about, there := l.dataset(); there {
		points = slices.Concat(points, rest[:2], []kit.Point{{Name: "Data", Text: about}}, rest[2:])
	} else {
		points = slices.Concat(points,
			[]kit.Point{{Name: "Data", Text: about, Style: t.Warn, Whole: true}}, rest)
	}
	return t.Points(points, 9, w, h)
}

// review shows in a few lines what Enter would start. A second Enter starts it. On the first entry
// it plays the film.
func (l *Page) review() tea.Cmd {
	if l.at == 0 {
		return kit.Send(lab.Film{})
	}
	s := l.spec()
	lines := []string{
		l.total(),
		fmt.Sprintf("%s on %s, %s", s.Model, s.Dataset, l.budget()),
		"",
		"Time     " + l.time(),
		"Machine  " + l.machine(),
	}
	if changes := l.changes(); len(changes) > 0 {
		lines = append(append(lines, "", changedFrom), changes...)
	}
	settled := *s
	settled.SettleProgram("") // as it will be started
	return kit.Question("Start "+l.preset().Name+"?", lines, kit.Choice{Keys: []string{"enter"},
		Name: "start", Then: l.Trusting(&settled, kit.Send(beginMsg{}))})
}

// machine says how many cores the machine has and how many live runs share them.
func (l *Page) machine() string {
	live := 0
	for _, r := range l.past {
		if s := r.Status(); s == runner.Running || s == runner.Queued {
			live++
		}
	}
	cores := kit.Plural(l.Config.Cores, "core")
	switch {
	case live == 0:
		return cores + coresFree
	case live < runner.DefaultParallel:
		return fmt.Sprintf(coresShared, cores, kit.Plural(live, "run"))
	}
	return fmt.Sprintf(coresQueued, cores, kit.Plural(live, "run"))
}

// changes lists the settings that differ from the preset's.
func (l *Page) changes() (lines []string) {
	for _, s := range l.settings() {
		if l.edited(s.Key) && s.Key != "algorithms" && s.Key != "seeds" {
			lines = append(lines, fmt.Sprintf("  %s %s (preset: %s)", s.Key,
				l.spec().Text(s.Key), strings.TrimSpace(l.preset().Spec.Text(s.Key))))
		}
	}
	return lines
}

// estimate is the time that runs would take together on this machine, and the basis of that figure.
type estimate struct {
	duration time.Duration // 0 if it is unknown
	basis    string
}

// estimateOf extrapolates from finished runs of the same model on the same dataset with this
// processor. It divides the number of images to go through by the speed of the whole machine: the
// images a second of such a run, times the number of runs that shared the machine then.
func estimateOf(specs []spec.Spec, past []*record.Run, cpu string) estimate {
	if len(specs) == 0 {
		return estimate{basis: noneChosen}
	}
	s := &specs[0]
	const enough = 50 // the newest runs only
	var like []*record.Run
	for _, r := range past {
		if len(like) < enough && alike(r, s, cpu) {
			like = append(like, r)
		}
	}
	if len(like) == 0 {
		return estimate{basis: fmt.Sprintf(noneAlike, s.Model, s.Dataset)}
	}
	training, ok := trainSamples(s, like)
	if !ok {
		return estimate{basis: noneSoLarge}
	}
	test := 0.0
	for _, n := range like[0].Meta.ClassCounts.Test {
		test += float64(n)
	}
	seconds := train.UsualPace(machineSpeed(like, past)).Seconds(specs, training, test)
	const longest = 1000 * 365 * 24 * 3600 // seconds; more means that a run's figures are wrong
	if !(seconds > 0 && seconds < longest) {
		return estimate{basis: endless}
	}
	return estimate{time.Duration(seconds * float64(time.Second)),
		fmt.Sprintf(estimatedFrom, kit.Plural(len(like), "run"))}
}

// alike reports whether the speed of r says how fast s would run.
func alike(r *record.Run, s *spec.Spec, cpu string) bool {
	m := &r.Meta
	speed := r.Summary().ImagesPerSecond.Float()
	return r.Status() == runner.Done && m.Host.CPU == cpu && m.Spec.Model == s.Model &&
		m.Spec.Dataset == s.Dataset &&
		speed > 0 && !math.IsInf(speed, 0) && len(m.ClassCounts.Train) > 0
}

// machineSpeed returns the speed of the whole machine while these runs trained, as images a second
// of ERM. It is the median over the runs of a run's own speed times the number of runs started with
// it.
func machineSpeed(like, past []*record.Run) float64 {
	var speeds []float64
	for _, r := range like {
		together := 0
		for _, o := range past {
			apart := o.Meta.Created.Sub(r.Meta.Created).Abs()
			if o.Meta.Preset == r.Meta.Preset && apart < 2*time.Second {
				together++
			}
		}
		each := r.Summary().ImagesPerSecond.Float() * train.StepCost(r.Meta.Spec.Algorithm())
		speeds = append(speeds, each*float64(min(max(together, 1), runner.DefaultParallel)))
	}
	slices.Sort(speeds)
	return speeds[len(speeds)/2]
}

// trainSamples returns the number of samples that s trains on, scaled from a run on the same
// dataset; false if no run has a comparable cap on its samples.
func trainSamples(s *spec.Spec, like []*record.Run) (n float64, ok bool) {
	for _, r := range like {
		old := &r.Meta.Spec
		scale := 1.0
		if a, b := samplesAsked(s), samplesAsked(old); a != b {
			if a == 0 || b == 0 {
				continue
			}
			scale = float64(a) / float64(b)
		}
		scale *= (1 - s.ValFraction) / (1 - old.ValFraction)
		before, after := old.Imbalance.Ratios(old.Dataset), s.Imbalance.Ratios(s.Dataset)
		for class, count := range r.Meta.ClassCounts.Train {
			n += float64(count) * scale * ratioOf(after, class) / ratioOf(before, class)
		}
		return n, true
	}
	return 0, false
}

// samplesAsked returns the number of training samples before imbalance where it is known
// beforehand, else the cap on that number, where 0 is no cap.
func samplesAsked(s *spec.Spec) int {
	if n, ok := source.KnownSizes(s.Dataset, data.Options{Samples: s.Samples}); ok {
		return n.Train
	}
	return s.Samples
}

// ratioOf returns the share of a class that is kept.
func ratioOf(ratios []float64, class int) float64 {
	if class < len(ratios) {
		return ratios[class]
	}
	return 1
}
