package run

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/publish"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/tui/cli/console"
	"drolab/tui/cli/trainer"
	"drolab/tui/kit"
)

// lookEvery is the time between two looks at the run directories for a log, which shows evaluations
// only.
const lookEvery = time.Second

// watch shows on stderr what the runs do, until all have ended: lines that are redrawn if stderr is
// a terminal, else a line for each evaluation. It reads the run directories, as any other process
// could.
func watch(tr *trainer.Trainer, c *crew, ids []string, exports bool) []queue.Outcome {
	ended := make(chan []queue.Outcome, 1)
	go func() { ended <- c.await(ids) }()
	trouble, end := c.troubles(ids)
	defer end()
	p := &panel{out: tr.Stderr, ascii: tr.ASCII, theme: tr.ThemeErr()}
	every := lookEvery
	if width, height, ok := tr.SizeErr(); ok && width > 0 {
		p.screen, every = true, console.DrawEvery
		p.resize(width, height)
	}
	for _, id := range ids {
		if r, err := record.Find(c.dir, id); err == nil {
			p.runs = append(p.runs, &live{Progress: record.NewProgress(&r.Meta),
				meta: r.Meta, tail: r.Tail()})
		}
	}
	if exports {
		defer exportLive(p.runs, c.dir)()
	}
	fmt.Fprintf(tr.Stderr, "%s, recorded in %s\n", kit.Plural(len(ids), "run"),
		console.Clean(c.dir))
	if p.screen {
		fmt.Fprintln(tr.Stderr, p.theme.Dim.Paint(
			"drolab attach, in another terminal, shows the curves. Ctrl-C stops the runs."))
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	interrupted := c.interrupted
	for {
		select {
		case outcomes := <-ended:
			p.read()
			p.show(true)
			return outcomes
		case <-interrupted:
			interrupted = nil
			p.news = append(p.news, stopping(c.end(ids)))
		case line := <-trouble:
			p.news = append(p.news, line)
		case <-tick.C:
		}
		if width, height, ok := tr.SizeErr(); ok {
			p.resize(width, height)
		}
		p.read()
		p.show(false)
	}
}

// live is the state of one run while it goes on.
type live struct {
	*record.Progress
	meta runner.Meta
	tail *record.Tail
	news []string // lines to print once
	out  *publish.EventWriter
}

func (l *live) add(e runner.Event) {
	l.Add(e)
	l.export(e)
	switch e := e.(type) {
	case *runner.ResumeEvent:
		l.news = append(l.news, fmt.Sprintf("%s resumed from step %d", l.name(), e.Step))
	case *runner.WarningEvent:
		l.news = append(l.news, fmt.Sprintf("%s warning at step %d: %s", l.name(), e.Step,
			console.OneLine(e.Message)))
	}
}

// name returns a short name that tells the runs of one command apart.
func (l *live) name() string {
	return fmt.Sprintf("%s %s s%d", console.Clean(l.meta.Preset), l.meta.Spec.Algorithm(),
		l.meta.Spec.Seed)
}

// evalLine describes the last evaluation in one line of a log.
func (l *live) evalLine() string {
	e := l.Eval
	words := []string{fmt.Sprintf("%s epoch %.4g/%d", l.name(), e.Epoch, l.meta.Spec.Epochs),
		"train loss " + console.Short(e.Of("train_loss")),
		"test loss " + console.Short(e.Of("test_loss")),
		"test accuracy " + console.Percent(e.Of("test_accuracy")),
		"worst " + l.meta.Part() + " " + console.Percent(e.Of(l.meta.Fit("worst_class_accuracy")))}
	if l.Last != nil {
		// the method's own values that are not from a mini-batch, such as λ and η
		for _, m := range measure.StepMeasures() {
			if n := l.Last.Of(m.Name); n.Applies() && !m.Noisy {
				words = append(words, m.Head()+" "+console.Figure(&m, n))
			}
		}
		words = append(words, console.Whole(l.Last.ImagesPerSecond)+" images/s")
	}
	if left, ok := l.Remaining(); ok {
		words = append(words, "ETA "+kit.Clock(left))
	}
	return strings.Join(words, "  ")
}

// exportLive opens an event file for each of the runs, and returns the function that closes the
// files. Each run has a folder of its own; TensorBoard is pointed at the folder above them.
func exportLive(runs []*live, dir string) (end func()) {
	folder := filepath.Join(filepath.Dir(dir), "tensorboard")
	for _, l := range runs {
		var err error
		l.out, err = publish.NewEventWriter(filepath.Join(folder, l.meta.ID), &l.meta, time.Now())
		if err != nil {
			l.news = append(l.news, "no event files: "+console.OneLine(err.Error()))
		}
	}
	return func() {
		for _, l := range runs {
			if l.out != nil {
				l.out.Close()
			}
		}
	}
}

// export writes one event. After a failure it writes no more.
func (l *live) export(e runner.Event) {
	if l.out == nil {
		return
	}
	err := l.out.Put(e)
	if err == nil {
		err = l.out.Flush()
	}
	if err != nil {
		l.out.Close() // the earlier error is reported
		l.out = nil
		l.news = append(l.news, "no more event files: "+console.OneLine(err.Error()))
	}
}
