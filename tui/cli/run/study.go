package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"drolab/presets/recorded"
	"drolab/runner"
	"drolab/runner/data/source"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/report"
	"drolab/runner/spec"
	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

// isStudy reports whether the arguments of run name a study, which takes no changes.
func (f *runFlags) isStudy(c *cobra.Command, names []string) (bool, error) {
	if len(names) == 0 || !report.IsStudyFile(names[0]) && !recorded.Is(names[0]) {
		if f.dry {
			return false, errors.New("--dry-run is for a study: drolab presets NAME shows a preset")
		}
		return false, nil
	}
	for _, flag := range []string{"set", "algo", "seeds", "seed", "from"} {
		if c.Flags().Changed(flag) {
			return true, fmt.Errorf("--%s: a study says what its runs are: change its file", flag)
		}
	}
	if len(names) > 1 {
		return true, fmt.Errorf("%s: give one study alone", names[1])
	}
	return true, nil
}

// study trains the runs that a study lacks, and no others.
func (f *runFlags) study(ctx context.Context, tr *Trainer, word string) error {
	s, err := tr.Study(word)
	if err != nil {
		return err
	}
	runs, problems := tr.Catalogue().List()
	for _, err := range problems { // such a run may be one of the study's
		tr.Note(err.Error())
	}
	g := s.Gather(runs)
	if f.dry {
		return printMissing(ctx, tr, g)
	}
	if s.Registered.After(time.Now()) {
		tr.Note("the study is registered in the future: runs that begin now are exploratory")
	}
	claims, err := s.Seal(time.Now())
	if err != nil {
		return err
	}
	differ, problems := g.TakeOver(claims)
	for _, err := range problems {
		tr.Note(err.Error())
	}
	if len(differ) > 0 {
		tr.Note(fmt.Sprintf("the claims are not those that were sealed with %s: every test of "+
			"them is exploratory", kit.Plural(len(differ), "run")))
	}
	requests, resumed := missingRequests(g, claims)
	if len(requests)+len(resumed) == 0 {
		return printMissing(ctx, tr, g)
	}
	err = f.train(ctx, tr, requests, resumed)
	if err == nil && !tr.AsJSON {
		tr.PrintLine("The study:  %s", tr.Command("drolab report "+runner.ShellWord(word)))
	}
	return err
}

// missingRequests returns what is to be started, and the runs to resume. Runs of one preset on the
// same data form one request, so that they share their data.
func missingRequests(
	g *report.Gathered, claims runner.SealedClaims,
) (list []runner.Request, resumed []*record.Run) {
	at := map[[2]string]int{}
	for _, m := range g.Missing {
		switch {
		case m.Begun == nil:
			one := m.Spec
			one.Seed = m.Seed
			key := [2]string{m.Preset, report.DataOf(&one)}
			if _, ok := at[key]; !ok {
				at[key] = len(list)
				list = append(list, runner.Request{Preset: m.Preset,
					Claims: []runner.SealedClaims{claims}})
			}
			list[at[key]].Specs = append(list[at[key]].Specs, one)
		case m.Begun.Status().Ended() || m.Begun.Status() == runner.Paused:
			resumed = append(resumed, m.Begun)
		}
	}
	return list, resumed
}

// studyState says how many runs of a study have ended.
func studyState(tr *Trainer, g *report.Gathered) string {
	text := fmt.Sprintf("%d of %s have ended", g.Done, kit.Plural(g.Wanted, "run"))
	if g.Done == g.Wanted {
		return text + ": " + tr.Command("drolab report "+runner.ShellWord(g.Study.Word)) +
			" judges them"
	}
	return text
}

// printMissing lists what a run of the study would do.
func printMissing(ctx context.Context, tr *Trainer, g *report.Gathered) error {
	type line struct {
		Arm  string `json:"arm"`
		Seed uint64 `json:"seed"`
		Does string `json:"does"`
		Run  string `json:"run,omitempty"` // that has begun
	}
	lines, seconds := []line{}, 0.0
	watch := console.NewStopwatch(ctx, tr.Threads)
	for _, m := range g.Missing {
		l, left := line{Arm: m.Name, Seed: m.Seed, Does: "starts"}, 1.0
		if r := m.Begun; r != nil {
			l.Run, l.Does = r.Meta.ID, "is "+string(r.Status())
			if r.Status().Ended() || r.Status() == runner.Paused {
				l.Does = "goes on, " + l.Does
			}
			left = 1 - float64(r.Standing().Step)/float64(max(1, r.Meta.Steps))
		}
		took := math.NaN() // of a program, or of data that are not here
		sizes, err := source.SizesOf(ctx, m.Spec.Dataset, m.Spec.DataOptions(tr.DataDir))
		if err == nil {
			if took, err = watch.Seconds(&m.Spec, sizes, []spec.Spec{m.Spec}); err != nil {
				return err
			}
		}
		lines, seconds = append(lines, l), seconds+took*left
	}
	return tr.Result(map[string]any{"wanted": g.Wanted, "done": g.Done, "missing": lines,
		"seconds": measure.NumIf(!math.IsNaN(seconds), seconds)}, func() {
		for _, r := range g.Failed {
			tr.PrintLine("run %s failed, so it is missing: %s", r.Meta.ID, r.Summary().Cause)
		}
		for _, l := range lines {
			tr.PrintLine("%s, seed %d: %s %s", l.Arm, l.Seed, l.Does, l.Run)
		}
		switch took := kit.Duration(time.Duration(seconds * float64(time.Second))); {
		case len(lines) == 0:
			tr.PrintLine("%s", studyState(tr, g))
		case math.IsNaN(seconds):
			tr.PrintLine("%s; the time of the missing ones is not known", studyState(tr, g))
		default:
			tr.PrintLine("%s; the missing ones take about %s, if this machine does nothing else",
				studyState(tr, g), took)
		}
	})
}
