package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/page"
	"drolab/runner/publish"
	"drolab/runner/record"
	"drolab/tui/kit"

	"github.com/charmbracelet/x/term"
)

// How often the run directories are looked at. A person sees five changes a
// second; a log needs to be told of evaluations only.
const (
	drawEvery = 200 * time.Millisecond
	lookEvery = time.Second
)

// watch tells on stderr what the runs do, until all have ended: lines that are
// redrawn where stderr is a terminal, else a line for every evaluation. It
// reads the run directories as any other process could.
func (a *app) watch(f following) []runner.Outcome {
	p := &panel{out: a.Stderr, ascii: a.ASCII}
	every := lookEvery
	if width, height, ok := terminalSize(a.Env.Stderr); ok && width > 0 {
		p.screen, every = true, drawEvery
		p.resize(width, height)
	}
	for _, id := range f.ids {
		if r, err := record.Find(f.dir, id); err == nil {
			p.runs = append(p.runs, &live{Progress: record.NewProgress(&r.Meta), meta: r.Meta, tail: r.Tail()})
		}
	}
	defer a.exportLive(p.runs, f.dir)()
	fmt.Fprintf(a.Stderr, "%s, recorded in %s\n", kit.Plural(len(f.ids), "run"), clean(f.dir))
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case outcomes := <-f.ended:
			p.look()
			p.show(true)
			return outcomes
		case <-f.interrupted:
			f.interrupted = nil
			p.news = append(p.news, f.stop())
		case line := <-f.trouble:
			p.news = append(p.news, line)
		case <-tick.C:
		}
		if width, height, ok := terminalSize(a.Env.Stderr); ok {
			p.resize(width, height)
		}
		p.look()
		p.show(false)
	}
}

// terminalSize returns the size in cells of the terminal that w is.
func terminalSize(w any) (width, height int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(f.Fd()) {
		return 0, 0, false
	}
	width, height, err := term.GetSize(f.Fd())
	return width, height, err == nil
}

// live is what is known of one run while it goes on.
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
		l.news = append(l.news, fmt.Sprintf("%s goes on from step %d", l.name(), e.Step))
	case *runner.WarningEvent:
		l.news = append(l.news, fmt.Sprintf("%s warning at step %d: %s", l.name(), e.Step, oneLine(e.Message)))
	}
}

// name is short and tells the runs of one command apart.
func (l *live) name() string {
	return fmt.Sprintf("%s %s s%d", clean(l.meta.Preset), l.meta.Spec.Algorithm(), l.meta.Spec.Seed)
}

// evalLine tells of the last evaluation in one line of a log.
func (l *live) evalLine() string {
	e := l.Eval
	words := []string{fmt.Sprintf("%s epoch %.4g/%d", l.name(), e.Epoch, l.meta.Spec.Epochs),
		"train loss " + short(e.Of("train_loss")), "test loss " + short(e.Of("test_loss")),
		"test accuracy " + percent(e.Of("test_accuracy")),
		"worst " + l.meta.Part() + " " + percent(e.Of(l.meta.Fit("worst_class_accuracy")))}
	if l.Last != nil {
		for _, m := range runner.StepMeasures() { // the method's own that are no mini-batch's: λ and η, say
			if n := l.Last.Of(m.Name); n.Applies() && !m.Noisy {
				words = append(words, m.Head()+" "+figure(&m, n))
			}
		}
		words = append(words, page.Fixed(0).Text(l.Last.ImagesPerSecond)+" images/s")
	}
	if left, ok := l.Remaining(); ok {
		words = append(words, "ETA "+kit.Clock(left))
	}
	return strings.Join(words, "  ")
}
