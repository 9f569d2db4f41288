package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
	"drolab/runner/publish"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/cli/look"
	"drolab/tui/kit"
)

// follow shows runs until all have ended, and prints their results. With exports it also writes
// event files.
func (e *executor) follow(tr *Trainer, ids []string, exports bool) error {
	outcomes := watch(tr, e, ids, exports)
	e.release() // from here on a signal ends the command, which only prints
	runs, err := findAll(ids, e.find)
	if err != nil {
		return err
	}
	if err := tr.tellInterrupted(e.dir, runs...); err != nil {
		tr.Note(err.Error())
	}
	if err := look.Results(tr.Console, runs); err != nil {
		return err
	}
	return unfinishedErrors(tr, runs, outcomes)
}

// unfinishedErrors returns an error that names the runs that are not done, with the cause and how
// to continue them. An outcome counts before the record, because a full disk keeps the cause out of
// it.
func unfinishedErrors(tr *Trainer, runs []*record.Run, outcomes []queue.Outcome) error {
	var list console.Failures
	for _, r := range runs {
		id, o := r.Meta.ID, queue.Outcome{Status: r.Status()}
		if o.Status == runner.Failed {
			o.Err = errors.New(r.Summary().Cause)
		}
		own := func(o queue.Outcome) bool { return o.ID == id }
		if i := slices.IndexFunc(outcomes, own); i >= 0 {
			o = outcomes[i]
		}
		switch {
		case o.Err != nil:
			cause, _, _ := strings.Cut(o.Err.Error(), "\n") // the others follow from it
			list = append(list, fmt.Errorf("run %s failed: %s", id, cause))
		case o.Status != runner.Done:
			list = append(list, fmt.Errorf("run %s is %s at step %d of %d: "+
				"continue with %s", id, o.Status, r.Summary().Steps, r.Meta.Steps,
				tr.HowToContinue(r)))
		}
	}
	return list.OrNil()
}

// Times between two looks at the run directories for a log, which shows evaluations only, and
// between two questions for the runs' troubles.
const (
	lookEvery = time.Second
	askEvery  = 2 * time.Second
)

// watch shows on stderr what the runs do, until all have ended: lines that are redrawn if stderr is
// a terminal, else a line for each evaluation. It reads the run directories, as any other process
// could.
func watch(tr *Trainer, e *executor, ids []string, exports bool) []queue.Outcome {
	ended := make(chan []queue.Outcome, 1)
	go func() { ended <- e.await(ids) }()
	p := &display{out: tr.Stderr, ascii: tr.ASCII, theme: tr.Theme(tr.Stderr)}
	every := lookEvery
	if width, height, ok := tr.SizeErr(); ok && width > 0 {
		p.screen, every = true, console.DrawEvery
		p.width, p.height = width, height
	}
	for _, id := range ids {
		if r, err := e.find(id); err == nil {
			p.runs = append(p.runs, &followedRun{Progress: eventlog.NewProgress(&r.Meta),
				meta: r.Meta, tail: r.Tail()})
		}
	}
	if exports {
		defer exportLive(p.runs, e.dir)()
	}
	fmt.Fprintf(tr.Stderr, "%s, recorded in %s\n", kit.Plural(len(ids), "run"),
		cell.Clean(tr.PathHere(e.dir)))
	if p.screen {
		fmt.Fprintln(tr.Stderr, p.theme.Dim.Paint(
			tr.PlaceOf(e.dir).Command("drolab attach")+
				", in another terminal, shows the curves. Ctrl-C stops the runs."))
	}
	tick, ask := time.NewTicker(every), time.NewTimer(askEvery)
	defer tick.Stop()
	defer ask.Stop()
	seen, known := make(chan []runner.LiveRun, 1), map[string]string{}
	interrupted := e.interrupted
	for {
		select {
		case outcomes := <-ended:
			p.read()
			p.show(true)
			return outcomes
		case <-interrupted:
			interrupted = nil
			p.news = append(p.news, stopNotice(e.end(ids)))
		case <-ask.C: // another process may need long to answer
			go func() { seen <- e.live() }()
		case runs := <-seen:
			p.news = append(p.news, newTroubles(runs, ids, known, e.remedy)...)
			ask.Reset(askEvery)
		case <-tick.C:
		}
		if width, height, ok := tr.SizeErr(); ok {
			p.width, p.height = width, height
		}
		p.read()
		p.show(false)
	}
}

// followedRun is the state of one run while it goes on.
type followedRun struct {
	*eventlog.Progress
	meta runner.Meta
	tail *eventlog.Tail
	news []string // lines to print once
	out  *publish.EventWriter
}

func (l *followedRun) add(e runner.Event) {
	l.Add(e)
	l.export(e)
	switch e := e.(type) {
	case *runner.ResumeEvent:
		l.news = append(l.news, fmt.Sprintf("%s resumed from step %d", l.name(), e.Step))
	case *eventlog.GapEvent:
		l.news = append(l.news, l.name()+": "+cell.OneLine(e.Brief()))
	case *runner.WarningEvent:
		l.news = append(l.news, fmt.Sprintf("%s warning at step %d: %s", l.name(), e.Step,
			cell.OneLine(e.Message)))
	case *runner.AlertEvent:
		l.news = append(l.news, fmt.Sprintf("%s alert at step %d: %s", l.name(), e.Step,
			cell.OneLine(e.Text)))
	}
}

// name returns a short name that tells the runs of one command apart.
func (l *followedRun) name() string {
	return fmt.Sprintf("%s %s s%d", cell.Clean(l.meta.Preset), l.meta.Spec.Algorithm(),
		l.meta.Spec.Seed)
}

// evalLine describes the last evaluation in one line of a log.
func (l *followedRun) evalLine() string {
	e := l.Eval
	words := []string{fmt.Sprintf("%s epoch %.4g/%d", l.name(), e.Epoch, l.meta.Spec.Epochs),
		"train loss " + console.Short(e.Named("train_loss")),
		"test loss " + console.Short(e.Named("test_loss")),
		"mean " + console.Percent(e.Named("test_accuracy")),
		"worst " + l.meta.Part() + " " +
			console.Percent(e.Named(l.meta.MeasureFor("worst_class_accuracy")))}
	if l.Last != nil {
		// the method's own values that are not from a mini-batch, such as λ and η
		for _, m := range measure.StepMeasures() {
			if n := l.Last.Named(m.Name); n.Applies() && !m.Noisy {
				words = append(words, m.Head()+" "+console.Figure(&m, n))
			}
		}
		words = append(words, console.Whole(l.Last.ImagesPerSecond)+" samples/s now")
	}
	if left, ok := l.Remaining(); ok {
		words = append(words, "ETA "+kit.Duration(left))
	}
	return strings.Join(words, "  ")
}
