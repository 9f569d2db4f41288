package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"drolab/runner"
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
	if width, height, ok := terminalSize(a.Stderr); ok && width > 0 {
		p.screen, every = true, drawEvery
		p.resize(width, height)
	}
	for _, id := range f.ids {
		if r, err := record.Find(f.dir, id); err == nil {
			p.runs = append(p.runs, &live{meta: r.Meta, tail: r.Tail()})
		}
	}
	fmt.Fprintf(a.Stderr, "%s, recorded in %s\n", count(len(f.ids), "run"), clean(f.dir))
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
		if width, height, ok := terminalSize(a.Stderr); ok {
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

// live is what is known of one run while it goes on. Unlike record.History it
// keeps only the last of each event, however long the run.
type live struct {
	meta runner.Meta
	tail *record.Tail

	status runner.Status
	step   int64
	last   *runner.StepEvent
	eval   *runner.EvalEvent
	// Where and when training began or went on: the speed is reckoned from there.
	fromStep int64
	fromTime time.Time
	now      time.Time // of the last event

	news []string // lines to print once
}

func (l *live) add(e runner.Event) {
	h := e.Header()
	l.step, l.now = h.Step, h.Time
	switch e := e.(type) {
	case *runner.StatusEvent:
		l.status = e.Status
		l.fromStep, l.fromTime = h.Step, h.Time
	case *runner.ResumeEvent:
		l.last, l.eval = nil, nil
		l.news = append(l.news, fmt.Sprintf("%s goes on from step %d", l.name(), h.Step))
	case *runner.StepEvent:
		l.last = e
	case *runner.EvalEvent:
		l.eval = e
	case *runner.WarningEvent:
		l.news = append(l.news, fmt.Sprintf("%s warning at step %d: %s", l.name(), h.Step, oneLine(e.Message)))
	}
}

// name is short and tells the runs of one command apart.
func (l *live) name() string {
	return fmt.Sprintf("%s %s s%d", clean(l.meta.Preset), l.meta.Spec.Algorithm(), l.meta.Spec.Seed)
}

// remaining returns how long the rest takes at the speed so far, evaluations
// included; ok is false before there is a speed.
func (l *live) remaining() (d time.Duration, ok bool) {
	steps, took := l.step-l.fromStep, l.now.Sub(l.fromTime)
	if l.status != runner.Running || steps <= 0 || took <= 0 {
		return 0, false
	}
	return time.Duration(float64(took) / float64(steps) * float64(l.meta.Steps-l.step)), true
}

// evalLine tells of the last evaluation in one line of a log.
func (l *live) evalLine() string {
	e := l.eval
	words := []string{fmt.Sprintf("%s epoch %.4g/%d", l.name(), e.Epoch, l.meta.Spec.Epochs),
		"train loss " + short(e.TrainLoss), "test loss " + short(e.TestLoss),
		"test accuracy " + percent(e.TestAccuracy), "worst class " + percent(least(e.ClassAccuracy))}
	if l.last != nil {
		if l.last.Lambda.Applies() {
			words = append(words, "λ "+short(l.last.Lambda))
		}
		if l.last.Eta.Applies() {
			words = append(words, "η "+short(l.last.Eta))
		}
		words = append(words, whole(l.last.ImagesPerSecond)+" images/s")
	}
	if left, ok := l.remaining(); ok {
		words = append(words, "ETA "+kit.Clock(left))
	}
	return strings.Join(words, "  ")
}

// least returns the lowest of the values that apply.
func least(values []runner.Number) (low runner.Number) {
	for _, v := range values {
		if v.Applies() && (!low.Applies() || v.Float() < low.Float()) {
			low = v
		}
	}
	return low
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
