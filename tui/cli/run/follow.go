package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/engine"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
	"drolab/runner/page"
	"drolab/runner/publish"
	"drolab/runner/queue"
	"drolab/runner/record"
	cells "drolab/tui/cell"
	"drolab/tui/cli/console"
	"drolab/tui/cli/look"
	"drolab/tui/kit"
	"drolab/tui/lab"

	"github.com/charmbracelet/x/ansi"
)

// crew trains the runs of one folder, which are followed to their end.
type crew struct {
	runner.Verbs
	dir     string
	live    func() []runner.LiveRun // none if that is not known
	reading func() *runner.Reading  // of the data of a start or a resume under way
	await   func(ids []string) []queue.Outcome
	end     func(ids []string) []error // stops runs that have begun
	release func()
	remedy  string // the advice if a run waits for its disk; %s is the run
	// interrupted is closed when the user wants the runs to end; end must then be called. If it is
	// nil, the runs end without that.
	interrupted <-chan struct{}
}

// newCrew returns a crew that trains by the engine of the folder, or by a queue of this process.
func newCrew(ctx context.Context, tr *Trainer, store *record.Store, inline bool) *crew {
	dir := store.Dir()
	if inline || !tr.hasEngine() {
		q, cancel := tr.queue(ctx, store)
		return &crew{Verbs: q, dir: dir, release: cancel,
			live: q.Live, reading: q.Reading,
			await: func([]string) []queue.Outcome { return q.Wait() },
			end:   func([]string) []error { cancel(); q.Wait(); return nil },
			remedy: "it continues when this is fixed; " +
				"Ctrl-C loses nothing, and drolab resume %s continues it later"}
	}
	client := tr.client(dir)
	ctx, cancel := tr.Orderly(ctx, nil)
	return &crew{Verbs: client, dir: dir, release: cancel, interrupted: ctx.Done(),
		reading: client.Reading,
		live: func() (runs []runner.LiveRun) {
			if s, err := client.Status(); err == nil {
				runs = s.Runs
			}
			return runs
		},
		await:  func(ids []string) []queue.Outcome { return awaitEnd(dir, ids) },
		end:    func(ids []string) []error { return stopAll(client, ids) },
		remedy: "continue with drolab resume %s"}
}

// showReading shows how far the data are read while do starts or resumes runs. An engine that reads
// cannot be interrupted, and the note says so.
func (c *crew) showReading(tr *Trainer, do func()) {
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-ended:
		case <-c.interrupted:
			tr.Note("the data are still being read; then the runs stop. Press Ctrl-C again to " +
				"leave them alone")
		}
	}()
	defer tr.Readings("samples").Follow(c.reading)()
	do()
}

// stopAll asks the runs that have not ended to stop.
func stopAll(c *engine.Client, ids []string) (problems []error) {
	for _, id := range ids {
		r, err := record.Find(c.RunsDir, id)
		if err == nil && !r.Status().Ended() {
			err = c.Stop(id)
		}
		if err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}

// stopping returns the line that says what happens after an interrupt.
func stopping(problems []error) string {
	if len(problems) > 0 {
		return "stopping: " + console.OneLine(errors.Join(problems...).Error())
	}
	return "Stopping with a checkpoint. Press Ctrl-C again to leave the runs alone."
}

// awaitEnd returns when no process holds any of the runs' directories. That is the last thing to
// happen to a run, however it ends. Its outcome is in its directory.
func awaitEnd(dir string, ids []string) []queue.Outcome {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for _, id := range ids {
		r, err := record.Find(dir, id)
		for err == nil && r.Held() {
			<-tick.C
		}
	}
	return nil
}

// newTroubles returns a line for each run whose trouble has changed since it was last told.
func newTroubles(
	live []runner.LiveRun, ids []string, known map[string]string, remedy string,
) (lines []string) {
	for _, r := range live {
		if !slices.Contains(ids, r.ID) || known[r.ID] == r.Trouble {
			continue
		}
		known[r.ID] = r.Trouble
		if r.Trouble == "" {
			lines = append(lines, fmt.Sprintf("run %s continues", r.ID))
		} else {
			lines = append(lines,
				fmt.Sprintf("run %s waits: %s (%s)", r.ID, console.OneLine(r.Trouble),
					fmt.Sprintf(remedy, r.ID)))
		}
	}
	return lines
}

// follow shows runs until all have ended, and prints their results. With exports it also writes
// event files.
func (c *crew) follow(tr *Trainer, ids []string, exports bool) error {
	outcomes := watch(tr, c, ids, exports)
	c.release() // from here on a signal ends the command, which only prints
	runs, err := findAll(ids, c.find)
	if err != nil {
		return err
	}
	if err := look.Results(tr.Console, runs); err != nil {
		return err
	}
	return notDone(runs, outcomes)
}

// find returns a run of the folder.
func (c *crew) find(id string) (*record.Run, error) { return record.Find(c.dir, id) }

func findAll(
	names []string, find func(string) (*record.Run, error),
) (runs []*record.Run, err error) {
	for _, name := range names {
		r, err := find(name)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// notDone returns an error that names the runs that are not done, with the cause and how to
// continue them. An outcome counts before the record, because a full disk keeps the cause out of
// it.
func notDone(runs []*record.Run, outcomes []queue.Outcome) error {
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
				r.Meta.HowToContinue()))
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
func watch(tr *Trainer, c *crew, ids []string, exports bool) []queue.Outcome {
	ended := make(chan []queue.Outcome, 1)
	go func() { ended <- c.await(ids) }()
	p := &panel{out: tr.Stderr, ascii: tr.ASCII, theme: tr.Theme(tr.Stderr)}
	every := lookEvery
	if width, height, ok := tr.SizeErr(); ok && width > 0 {
		p.screen, every = true, console.DrawEvery
		p.width, p.height = width, height
	}
	for _, id := range ids {
		if r, err := c.find(id); err == nil {
			p.runs = append(p.runs, &live{Progress: eventlog.NewProgress(&r.Meta),
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
	tick, ask := time.NewTicker(every), time.NewTimer(askEvery)
	defer tick.Stop()
	defer ask.Stop()
	seen, known := make(chan []runner.LiveRun, 1), map[string]string{}
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
		case <-ask.C: // another process may need long to answer
			go func() { seen <- c.live() }()
		case runs := <-seen:
			p.news = append(p.news, newTroubles(runs, ids, known, c.remedy)...)
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

// live is the state of one run while it goes on.
type live struct {
	*eventlog.Progress
	meta runner.Meta
	tail *eventlog.Tail
	news []string // lines to print once
	out  *publish.EventWriter
}

func (l *live) add(e runner.Event) {
	l.Add(e)
	l.export(e)
	switch e := e.(type) {
	case *runner.ResumeEvent:
		l.news = append(l.news, fmt.Sprintf("%s resumed from step %d", l.name(), e.Step))
	case *eventlog.GapEvent:
		l.news = append(l.news, l.name()+": "+console.OneLine(e.Brief()))
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
		"train loss " + console.Short(e.Named("train_loss")),
		"test loss " + console.Short(e.Named("test_loss")),
		"test accuracy " + console.Percent(e.Named("test_accuracy")),
		"worst " + l.meta.Part() + " " +
			console.Percent(e.Named(l.meta.MeasureFor("worst_class_accuracy")))}
	if l.Last != nil {
		// the method's own values that are not from a mini-batch, such as λ and η
		for _, m := range measure.StepMeasures() {
			if n := l.Last.Named(m.Name); n.Applies() && !m.Noisy {
				words = append(words, m.Head()+" "+console.Figure(&m, n))
			}
		}
		words = append(words, console.Whole(l.Last.ImagesPerSecond)+" samples/s")
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
	if err := cmp.Or(l.out.Write(e), l.out.Flush()); err != nil {
		l.out.Close() // the earlier error is reported
		l.out = nil
		l.news = append(l.news, "no more event files: "+console.OneLine(err.Error()))
	}
}

// panel shows runs on stderr: on a terminal as a block of one line per run, which is redrawn in
// place; elsewhere as a log.
type panel struct {
	out           *cells.Writer
	screen, ascii bool
	width, height int // of the screen, in cells
	drawn         int // lines of the block that are on the screen
	runs          []*live
	news          []string // lines to print once that concern no single run
	theme         *kit.Theme
}

// read adds the events that the runs have recorded since the last call. Events that cannot be read
// now may be readable at the next call; if not, the report at the end says so.
func (p *panel) read() {
	for _, l := range p.runs {
		for {
			events, err := l.tail.Read()
			if err != nil || len(events) == 0 {
				break
			}
			for _, e := range events {
				l.add(e)
				if _, isEval := e.(*runner.EvalEvent); isEval && !p.screen {
					l.news = append(l.news, l.evalLine())
				}
			}
		}
	}
}

// show writes the news and, on a terminal, the block.
func (p *panel) show(last bool) {
	var b strings.Builder
	over := p.drawn
	for _, l := range p.runs {
		p.news, l.news = append(p.news, l.news...), nil
	}
	for _, line := range p.news {
		if p.screen { // wrap between words, before the terminal wraps
			line = strings.Join(kit.Wrap(line, max(1, p.width-1)), "\n  ")
		}
		b.WriteString(line + "\n")
	}
	p.news, p.drawn = nil, 0
	if p.screen && len(p.runs) > 0 {
		for _, line := range p.block(last) {
			b.WriteString(ansi.Truncate(console.Clean(line), max(1, p.width-1), "") + "\n")
			p.drawn++
		}
	}
	if last {
		p.drawn = 0
	}
	if over > 0 {
		p.out.Over(over, b.String())
		return
	}
	p.out.Write([]byte(b.String()))
}

// block returns a line for each run. If the lines do not fit the screen, runs in progress come
// first, and a last line counts all runs by status.
func (p *panel) block(last bool) []string {
	room := max(1, p.height-2)
	if last || len(p.runs) <= room {
		return p.lines(p.runs)
	}
	var busy, rest []*live
	for _, l := range p.runs {
		if l.Status == runner.Running || l.Status == runner.Paused {
			busy = append(busy, l)
		} else {
			rest = append(rest, l)
		}
	}
	return append(p.lines(append(busy, rest...))[:room-1], "… "+countStatuses(p.runs))
}

// gap is the number of blanks between two columns of the block.
const gap = 2

// lines returns a line for each of the runs, in columns. The bar takes the room that is left.
func (p *panel) lines(runs []*live) []string {
	lines := p.draw(runs, console.BarLeast)
	left := max(0, p.width-1-cells.Width(lines[0]))
	return p.draw(runs, min(console.BarMost, console.BarLeast+left))
}

// draw draws the columns that have room beside a bar of some cells.
func (p *panel) draw(runs []*live, bar int) (lines []string) {
	var columns page.Fields[[]part]
	for k, x := range runs[0].parts(p, bar) {
		columns = append(columns, page.Field[[]part]{
			Column: page.Column{Words: true, Spare: x.spare},
			Cell:   func(row []part) string { return row[k].text }})
	}
	rows := kit.Map(runs, func(l *live) []part { return l.parts(p, bar) })
	theme := *p.theme
	theme.ASCII = false // texts stay as they are
	grid := theme.Grid(columns.Table(rows, nil), p.width-1+gap, gap)
	for i, row := range rows {
		paint := func(k int, text string) string { return row[k].style.Paint(text) }
		lines = append(lines, grid.Line(i, paint)[gap:])
	}
	return lines
}

// countStatuses counts the runs by status.
func countStatuses(runs []*live) string {
	counts := map[runner.Status]int{}
	for _, l := range runs {
		counts[l.Status]++
	}
	return strings.Join(lab.Counts(counts, runner.Queued, runner.Running, runner.Paused,
		runner.Done, runner.Stopped, runner.Failed), ", ")
}

// part is a piece of a run's line. On a narrow screen the pieces that can be spared most are left
// out. One that is too narrow for both the bar and the epoch shows the epoch.
type part struct {
	text  string
	spare int
	style kit.Style
}

// parts returns the parts of a run's line, each of a fixed width, so that columns do not move.
func (l *live) parts(p *panel, bar int) []part {
	var step runner.StepEvent
	if l.Last != nil {
		step = *l.Last
	}
	var mean, worst measure.Number
	if l.Eval != nil {
		mean = l.Eval.Named("test_accuracy")
		worst = l.Eval.Named(l.meta.MeasureFor("worst_class_accuracy"))
	}
	left := "–"
	if d, ok := l.Remaining(); ok {
		left = kit.Clock(d)
	}
	t, series := p.theme, kit.Style{}
	if i := slices.Index(dro.Algorithms(), l.meta.Spec.Algorithm()); i >= 0 {
		series = t.Line(uint8(i))
	}
	_, state := lab.State(t, l.Status)
	return []part{
		{l.name(), 0, series},
		{console.Bar(l.Step, l.meta.Steps, bar, p.ascii), 2, series},
		{fmt.Sprintf("%-7s", l.Status), 4, state},
		{fmt.Sprintf("epoch %5.1f/%d", step.Epoch, l.meta.Spec.Epochs), 1, t.Text},
		{fmt.Sprintf("worst %6s", console.Percent(worst)), 3, t.Title},
		{fmt.Sprintf("ETA %-7s", left), 5, t.Text},
		{fmt.Sprintf("mean %7s", console.Percent(mean)), 6, t.Text},
		{fmt.Sprintf("loss %-6s", console.Short(step.Named("loss"))), 7, t.Text},
		{fmt.Sprintf("%7s samples/s", console.Whole(step.ImagesPerSecond)), 8, t.Dim},
		{fmt.Sprintf("λ %-6s", console.Short(step.Named("lambda"))), 9, t.Text},
	}
}
