package compare

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// TestNewestExperiment: without a selection, the newest experiment is compared. Other settings,
// unfinished runs and other presets are left out.
func TestNewestExperiment(t *testing.T) {
	a := tuitest.NewArchive(t)
	other := tuitest.Archived(dro.ERM, 9, "shapes", tuitest.Epoch0().Add(-1))
	other.Spec.LR = 0.5
	a.Add(t, "shapes-erm-s9", other, runner.Done, "")
	all, _ := a.List()
	runs, preset := experiment(all)
	// mine-erm-s1 has the same settings, so it is a repeat of the experiment.
	if len(runs) != 9 || preset != "shapes" {
		t.Errorf("%d runs of %q, want 9 of shapes", len(runs), preset)
	}
	for _, r := range runs {
		if r.Meta.ID == "shapes-erm-s9" {
			t.Errorf("%s is compared, want it left out", r.Meta.ID)
		}
		if got := r.Status(); got != runner.Done {
			t.Errorf("%s is compared, which is %s, want done", r.Meta.ID, got)
		}
	}
}

// compareOf returns a driver on the page over a source of runs, and the page.
func compareOf(t *testing.T, source lab.Source) (*tuitest.Driver, *Page) {
	t.Helper()
	l := tuitest.NewLab(t, source, lab.Config{RunsDir: "/runs"}, 120, 38)
	p := New(l)
	return tuitest.NewDriver(l, p), p
}

// threeSeeds returns an archive whose experiment has the three seeds of each method that a mark
// needs.
func threeSeeds(t *testing.T) tuitest.Archive {
	t.Helper()
	a := tuitest.NewArchive(t)
	for i, method := range dro.PaperMethods() {
		a.Add(t, fmt.Sprintf("shapes-%s-s3", method), tuitest.Archived(method, 3, "shapes",
			tuitest.Epoch0().Add(time.Duration(i)*time.Second)), runner.Done, "")
	}
	return a
}

// TestTwoSeedsClaimNothing: where a method has two seeds no figure is marked as the best, whatever
// the tests say, and the table and the notes say what a mark needs.
func TestTwoSeedsClaimNothing(t *testing.T) {
	_, p := compareOf(t, tuitest.NewArchive(t))
	significant := 0
	for c := range p.table.Columns {
		for i := range p.table.Rows {
			if p.table.Rows[i].Cells[c].Best {
				significant++
			}
			if f := p.figures(i, c, true); strings.Contains(f, bestMark) {
				t.Errorf("of two seeds %q is claimed", f)
			}
			if p.styleOf(tableRow{column: c}, i).Paint("x") == p.Theme.BestStyle().Paint("x") {
				t.Errorf("of two seeds a figure of row %d has the colour of the best", i)
			}
		}
	}
	if significant == 0 {
		t.Error("the tests find nothing, so that nothing is tested here")
	}
	legend := strings.Join(strings.Fields(strings.Join(p.legend(200), " ")), " ")
	notes := strings.Join(strings.Fields(strings.Join(p.noteLines(100), " ")), " ")
	if !strings.Contains(legend, "no *: that needs 3 seeds of each method") ||
		!strings.Contains(notes, "No *: that needs 3 seeds of each method.") ||
		strings.Contains(legend+notes, "* beats") || strings.Contains(notes, "* is better") {
		t.Errorf("the legend is %q and the notes are %q", legend, notes)
	}
}

func TestCompareMarksOnlyTheSignificant(t *testing.T) {
	r, p := compareOf(t, threeSeeds(t))
	screen := tuitest.Text(r.Shot())
	marks := 0
	for c, col := range p.table.Columns {
		for i := range p.table.Rows {
			best := p.table.Rows[i].Cells[c].Best
			if strings.HasSuffix(p.figures(i, c, true), bestMark) != best {
				t.Errorf("row %d of %s: %q, is best: %t", i, col.Name, p.figures(i, c, true), best)
			}
			if best {
				marks++
			}
		}
	}
	if marks == 0 {
		t.Error("nothing is marked: the archive's seeds differ by less than its methods")
	}
	if !strings.Contains(screen, bestMark) {
		t.Errorf("no %s is on the screen:\n%s", bestMark, screen)
	}
	p.part = notesPart
	r.Send(lab.Compare{Runs: tuitest.Found(t, r.Source, "shapes-sfk-s1", "shapes-erm-s1")})
	if p.part != tablePart {
		t.Errorf("other runs are compared, and part %d has the focus, not the table", p.part)
	}
	for c := range p.table.Columns {
		for i := range p.table.Rows {
			f := p.figures(i, c, true)
			if strings.Contains(f, bestMark) || strings.Contains(f, "±") {
				t.Errorf("of one seed %q is claimed", f)
			}
		}
	}
}

// TestLegendBelowTheTable: the legend of the signs is below the table if there is room for eight
// lines of it, and otherwise in the notes.
func TestLegendBelowTheTable(t *testing.T) {
	a := threeSeeds(t)
	for seed := range uint64(3) {
		a.Add(t, fmt.Sprintf("shapes-group-s%d", seed+1),
			tuitest.Archived("group", seed+1, "shapes", tuitest.Epoch0()), runner.Done, "")
	}
	r, p := compareOf(t, a)
	for _, size := range [][2]int{{200, 58}, {120, 38}, {80, 22}, {40, 16}, {40, 10}} {
		r.Size(size[0], size[1])
		screen := tuitest.Text(r.Shot())
		for _, sign := range []string{"± 95 % t interval",
			"* beats all others", "(c) uses classes"} {
			if strings.Contains(screen, sign) != (size[1] > 10) {
				t.Errorf("%v: %q is below the table: %t\n%s", size, sign, size[1] <= 10, screen)
			}
		}
		// No line of the table is lost: scrolling reaches the last one.
		r.Press("end")
		if screen := tuitest.Text(r.Shot()); !strings.Contains(screen, "dual gap") {
			t.Errorf("%v: the last line is out of reach\n%s", size, screen)
		}
		r.Press("home")
	}
	r.Size(40, 10)
	p.part = notesPart
	text := strings.Join(strings.Fields(strings.Join(p.noteLines(38), " ")), " ")
	for _, words := range []string{"group sees classes in the place of group labels (c)",
		"half the width of the mean's 95 % t interval",
		"Holm's correction for all pairs (10, or 100 over all classes, groups or radii)"} {
		if !strings.Contains(text, words) {
			t.Errorf("the notes lack %q: %s", words, text)
		}
	}
}

// TestFewSamplesAreMarked: a class with too few test samples has a mark, which the legend explains,
// and other classes have none.
func TestFewSamplesAreMarked(t *testing.T) {
	a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	for _, method := range []dro.Algorithm{dro.SFK, dro.ERM} {
		m := tuitest.Archived(method, 1, "shapes", tuitest.Epoch0())
		m.ClassCounts.Test[3] = m.Spec.MinGroup - 1
		a.Add(t, "shapes-"+string(method)+"-s1", m, runner.Done, "")
	}
	r, _ := compareOf(t, a)
	r.Size(80, 38)
	screen := tuitest.Text(r.Shot())
	for _, want := range []string{"cross n=383      ?", "star n=322         ",
		"? under 20 test samples (min_group): not called worst",
		"n: training samples"} {
		if !strings.Contains(screen, want) {
			t.Errorf("no %q:\n%s", want, screen)
		}
	}
}

// resumedArchive is an archive whose runs go on from their fifth epoch, for one more.
type resumedArchive struct{ tuitest.Archive }

func (a resumedArchive) Open(r *record.Run) eventlog.Log {
	eval := &runner.EvalEvent{Epoch: 6, Values: measure.Values{{Name: "test_loss",
		Number: measure.Num(7)}}}
	resume := &runner.ResumeEvent{}
	resume.Step, eval.Step = 5*r.Meta.StepsPerEpoch, 6*r.Meta.StepsPerEpoch
	return &longerLog{a.Archive.Open(r), []runner.Event{resume, eval}}
}

// longerLog is a log with more events behind its end.
type longerLog struct {
	eventlog.Log
	more []runner.Event
}

func (l *longerLog) Read() ([]runner.Event, error) {
	events, err := l.Log.Read()
	if len(events) == 0 {
		events, l.more = l.more, nil
	}
	return events, err
}

// TestCurvesRewind: a resume discards the evaluations after the step from which the run went on.
func TestCurvesRewind(t *testing.T) {
	_, p := compareOf(t, resumedArchive{tuitest.NewArchive(t)})
	s := p.series[0][0]
	if x, y := s.XRange().Hi, s.At(6); x != 6 || y != 7 {
		t.Errorf("the curve ends at (%g, %g), want (6, 7)", x, y)
	}
	if got := s.Len(); got != 6 {
		t.Errorf("%d points after going back to epoch 5, want 6", got)
	}
}

// TestCompareGrows: the newest experiment takes in runs that end while it is shown.
func TestCompareGrows(t *testing.T) {
	a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	r, p := compareOf(t, a)
	if len(p.table.Rows) != 0 {
		t.Fatal("there is something to compare in an empty folder")
	}
	for i, algorithm := range []dro.Algorithm{dro.ERM, dro.SFK} {
		a.Add(t, fmt.Sprintf("shapes-%s-s1", algorithm),
			tuitest.Archived(algorithm, 1, "shapes", tuitest.Epoch0()), runner.Done, "")
		r.Wait(11*time.Second, time.Second)
		if len(p.table.Rows) != i+1 {
			t.Fatalf("after %d runs the table has %d rows, want %v", i+1, len(p.table.Rows), i+1)
		}
		if len(p.series) != i+1 {
			t.Fatalf("after %d runs there are %d curves, want %v", i+1, len(p.series), i+1)
		}
		if p.series[i][0].Len() == 0 {
			t.Fatalf("the curve of run %d has no point", i+1)
		}
	}
	table, points := p.table, p.series[0][0].Len()
	r.Wait(11*time.Second, time.Second)
	if p.table != table {
		t.Error("the table was made again for the same runs")
	}
	if got := p.series[0][0].Len(); got != points {
		t.Errorf("the curve has %d points, want the same %d", got, points)
	}
	r.Send(lab.Compare{Runs: tuitest.Found(t, r.Source, "shapes-erm-s1")})
	a.Add(t, "shapes-erm-s2", tuitest.Archived(dro.ERM, 2, "shapes", tuitest.Epoch0()),
		runner.Done, "")
	r.Wait(11*time.Second, time.Second)
	if len(p.runs) != 1 {
		t.Errorf("%d runs are compared, want the chosen one", len(p.runs))
	}
}

// TestCompareStale: an answer to an earlier question than the last one changes nothing.
func TestCompareStale(t *testing.T) {
	r, p := compareOf(t, tuitest.NewArchive(t))
	table, points := p.table, p.series[0][0].Len()
	r.Send(comparedMsg{round: p.round - 1},
		curvesMsg{table: new(compare.Table), from: 99, evals: [][]*runner.EvalEvent{{{}}}})
	if p.table != table {
		t.Error("the table of a stale answer was taken")
	}
	if got := p.series[0][0].Len(); got != points {
		t.Errorf("after a stale answer the curve has %d points, want %d", got, points)
	}
}

func TestDecimal(t *testing.T) {
	for x, want := range map[float64]string{0: "0.000", 2.34567: "2.346", 0.0051: "0.0051",
		12345: "12345.0", -1: "-1.000"} {
		if got := decimal(x); got != want {
			t.Errorf("decimal(%g) = %q, want %q", x, got, want)
		}
	}
}

// TestRefusals: a key that does nothing says so.
func TestRefusals(t *testing.T) {
	r, _ := compareOf(t, tuitest.NewArchive(t))
	for _, k := range []string{"left", "right", "up", "down", "home", "end",
		"pgup", "pgdown"} {
		if r.Press(k); r.Notice.Text == "" {
			t.Errorf("%s does nothing where all is in view, and does not say so", k)
		}
	}
	r.Size(40, 10)
	for _, k := range []string{"right", "down"} {
		before := r.View()
		r.Press(k)
		if r.Notice.Text != "" {
			t.Errorf("%s is refused on a small screen: %q", k, r.Notice.Text)
		}
		if r.View() == before {
			t.Errorf("%s changes nothing on a small screen", k)
		}
	}
}

// TestSmallScreenReachesAll: on the smallest screen, the arrow keys that the labels name reach
// every group and every line, and the page says what is out of view.
func TestSmallScreenReachesAll(t *testing.T) {
	r, p := compareOf(t, tuitest.NewArchive(t))
	r.Size(40, 10)
	groups, lines := map[string]bool{}, map[string]bool{}
	see := func() string {
		s := tuitest.Text(r.Shot())
		for i := range p.table.Rows {
			groups[p.groupName(i)] = groups[p.groupName(i)] || strings.Contains(s, p.groupName(i))
		}
		for _, label := range []string{"circle", "mean", "robust risk", "dual gap"} {
			lines[label] = lines[label] || strings.Contains(s, "\n "+label)
		}
		return s
	}
	for _, key := range []string{"right", "down"} {
		s, sign := see(), map[string]string{"right": "→ ", "down": "↓ "}[key]
		for _, want := range []string{sign, " more"} {
			if !strings.Contains(s, want) {
				t.Errorf("after %s the screen lacks %q:\n%s", key, want, s)
			}
		}
		for r.Press(key); r.Notice.Text == "" && s != see(); r.Press(key) {
			s = see()
		}
		if s := see(); strings.Contains(s, sign) {
			t.Errorf("there is more %s at the end:\n%s", key, s)
		}
	}
	for what, seen := range map[string]map[string]bool{"groups": groups, "lines": lines} {
		for name, was := range seen {
			if !was {
				t.Errorf("of the %s %q was never seen", what, name)
			}
		}
	}
	if n := len(p.groups(38)); n < 2 {
		t.Errorf("%d group at once", n)
	}
}

// TestMeansAsOnWatch: s shows the means of the last five epochs, as Watch does, and says so in the
// same words; again, it shows the last epoch.
func TestMeansAsOnWatch(t *testing.T) {
	r, p := compareOf(t, threeSeeds(t))
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "last epoch, 8 · ") {
		t.Errorf("the head does not name the epoch:\n%s", s)
	}
	differ := 0
	last := p.table
	r.Press("s")
	clock := compare.Clock{Epochs: []float64{4, 8}}
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, clock.String()+" · ") {
		t.Errorf("the head lacks %q:\n%s", clock, s)
	}
	for i, row := range p.table.Rows {
		for c, column := range p.table.Columns {
			if column.Class != "" {
				continue
			}
			var values []measure.Number
			for _, run := range tuitest.Found(t, r.Source, row.Runs...) {
				average, err := averageIn(r.Source)(run)
				if err != nil {
					t.Fatal(err)
				}
				values = append(values, average.Named(column.Name))
			}
			if got, want := row.Cells[c].Mean, measure.MeanOf(values); got != want {
				t.Errorf("%s of %s is %v, want the mean %v", column.Name, row.Label, got, want)
			}
			if c < len(last.Columns) && last.Columns[c].Name == column.Name &&
				last.Rows[i].Cells[c].Mean != row.Cells[c].Mean {
				differ++
			}
		}
	}
	if differ == 0 {
		t.Error("no mean differs from its last value")
	}
	if !p.showsDifferences() {
		t.Error("means of the same epochs have no differences")
	}
	if r.Press("s"); p.table.At != compare.Last {
		t.Errorf("s again shows %s, want the last epoch", p.table.At)
	}
}

// TestOtherStep turns from the figures of the selected step to those of the last epoch, to means,
// and back. Where no step was selected, it is left out.
func TestOtherStep(t *testing.T) {
	a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	for _, algorithm := range []dro.Algorithm{dro.ERM, dro.SFK} {
		m := tuitest.Archived(algorithm, 1, "shapes", tuitest.Epoch0())
		m.Spec.ValFraction, m.Spec.Select = .2, spec.SelectValWorst
		a.Add(t, fmt.Sprintf("shapes-%s-s1", algorithm), m, runner.Done, "")
	}
	r, p := compareOf(t, a)
	if p.table.At != compare.Selected {
		t.Fatalf("the table is of the %s step, want %v", p.table.At, compare.Selected)
	}
	c := p.chart(p.measure)
	if len(c.Spots) != 2 {
		t.Fatalf("%d selected steps are marked, want 2: %+v", len(c.Spots), c.Spots)
	}
	first := c.Spots[0]
	if want := p.runs[0].Summary().Selected.Epoch; first.X != want {
		t.Errorf("a selected step is marked at epoch %g, want %g", first.X, want)
	}
	if want := c.Lines[0].Seeds[0].At(first.X); first.Y != want {
		t.Errorf("a selected step is marked at the value %g, want %g", first.Y, want)
	}
	if s := tuitest.Text(r.Shot()); !strings.Contains(s, "S the selected step") {
		t.Errorf("nothing says what S is:\n%s", s)
	}
	for _, want := range []string{compare.Last, compare.Mean, compare.Selected} {
		if r.Press("s"); p.table.At != want {
			t.Errorf("s shows the %s step, want the %s one", p.table.At, want)
		}
	}
}

// TestEpochOfTheTable: the title says at which epoch the runs ended. Runs that ended at different
// epochs have no differences.
func TestEpochOfTheTable(t *testing.T) {
	for _, c := range []struct {
		stepsPerEpoch int64 // of the second run
		want          string
	}{{tuitest.Steps, " last epoch, 8 · shares in %"},
		{tuitest.Steps / 2, " last epoch of each run, 8–16 · shares in %"}} {
		a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
		for _, algorithm := range []dro.Algorithm{dro.ERM, dro.SFK} {
			m := tuitest.Archived(algorithm, 1, "shapes", tuitest.Epoch0())
			if algorithm == dro.SFK {
				m.StepsPerEpoch = c.stepsPerEpoch
			}
			a.Add(t, fmt.Sprintf("shapes-%s-s1", algorithm), m, runner.Done, "")
		}
		r, _ := compareOf(t, a)
		screen := tuitest.Text(r.Shot())
		one := c.stepsPerEpoch == tuitest.Steps
		if !strings.Contains(screen, c.want) || strings.Contains(screen, "signed: against") != one {
			t.Errorf("%d steps an epoch, want %q:\n%s", c.stepsPerEpoch, c.want, screen)
		}
	}
}

// TestTrainCounts: predictions have no training samples, and do not hide the training samples of
// other runs.
func TestTrainCounts(t *testing.T) {
	own := func(train ...int) *record.Run {
		r := &record.Run{}
		r.Meta.Classes, r.Meta.ClassCounts.Train = []string{"cat", "dog"}, train
		return r
	}
	predicted := own()
	predicted.Meta.Imported = &runner.Imported{}
	for _, c := range []struct {
		runs []*record.Run
		want string
	}{
		{[]*record.Run{own(7, 5), predicted}, " n=5"},
		{[]*record.Run{predicted, own(7, 5)}, " n=5"},
		{[]*record.Run{own(7, 5), own(6, 5)}, ""}, {[]*record.Run{own(7, 5), own()}, ""},
		{[]*record.Run{predicted}, ""},
	} {
		if got := (&Page{comparison: comparison{runs: c.runs}}).trainCount("dog"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestColoursAreClaims: each figure has its difference to that of the baseline, and only a figure
// with a star has the colour of good. None has that of bad.
func TestColoursAreClaims(t *testing.T) {
	r, p := compareOf(t, tuitest.NewArchive(t))
	r.Send(lab.Compare{Runs: tuitest.Found(t, r.Source, "shapes-sfk-s1", "shapes-pgd-s1",
		"shapes-erm-s1")})
	signed := 0
	for c, col := range p.table.Columns {
		for i := range p.table.Rows {
			text, base := p.difference(i, c), p.bases[c][i]
			if (text == "") != (base < 0) {
				t.Errorf("%s: %q against row %d", col.Name, text, base)
			}
			if text != "" {
				signed++
			}
		}
	}
	if signed == 0 {
		t.Error("no figure has its difference to the baseline")
	}
	if screen := tuitest.Text(r.Shot()); !strings.Contains(screen, "signed: against erm") {
		t.Errorf("the legend lacks what is signed:\n%s", screen)
	}
	r.Size(200, 58)
	if lay := p.layout(200, 58); len(lay.curves) < 2 || lay.costs.W == 0 {
		t.Errorf("on a large screen there are %d curves and costs in %d cells", len(lay.curves),
			lay.costs.W)
	}
	for i := range p.table.Rows {
		p.table.Rows[i].Seeds = []uint64{1, 2, 3} // a star needs them
	}
	row := tableRow{column: 0}
	stars := map[bool]kit.Style{true: p.Theme.BestStyle(), false: p.weight(row)}
	for best, want := range stars {
		if p.table.Rows[0].Cells[0].Best = best; p.styleOf(row, 0).Paint("x") != want.Paint("x") {
			t.Errorf("star %t: %q, want %v", best, p.styleOf(row, 0).Paint("x"), want.Paint("x"))
		}
	}
	table := p.table.Rows
	for i := range table {
		for c := range table[i].Cells {
			table[i].Cells[c].Best = false
		}
	}
	body := strings.Join(p.viewTable(198, 40)[2:], "")
	for of, style := range map[string]kit.Style{"good": p.Theme.Better, "bad": p.Theme.Worse} {
		if start, _, _ := strings.Cut(style.Paint("x"), "x"); strings.Contains(body, start) {
			t.Errorf("a line without a star has the colour of %s", of)
		}
	}
}

// TestForkIsOfItsExperiment: if the newest run is a fork, its parent is compared too.
func TestForkIsOfItsExperiment(t *testing.T) {
	a := tuitest.Archive{Folder: lab.Folder(t.TempDir())}
	for i, method := range []dro.Algorithm{dro.ERM, dro.SFK} {
		a.Add(t, "shapes-"+string(method), tuitest.Archived(method, 1, "shapes",
			tuitest.Epoch0().Add(time.Duration(i))), runner.Done, "")
	}
	fork := tuitest.Archived(dro.SFK, 1, "shapes", tuitest.Epoch0().Add(time.Hour))
	fork.Parent, fork.Spec.LR = "shapes-sfk@40", 0.5
	a.Add(t, "shapes-fork", fork, runner.Done, "")
	all, _ := a.List()
	if runs, _ := experiment(all); len(runs) != 3 || runs[0].Meta.ID != "shapes-fork" {
		t.Errorf("%d runs are compared, want 3", len(runs))
	}
}

// TestMeasureActsOnCurves: m and its word in the footer are there only while curves are shown.
func TestMeasureActsOnCurves(t *testing.T) {
	r, p := compareOf(t, tuitest.NewArchive(t))
	seen := map[bool]int{}
	for _, size := range [][2]int{{80, 22}, {120, 38}, {200, 58}} {
		r.Size(size[0], size[1])
		for range compareParts {
			shown := len(p.layout(p.Body.W, p.Body.H).curves) > 0
			seen[shown]++
			before := p.measure
			r.Press("m")
			if moved := p.measure != before; moved != shown {
				t.Errorf("%v, part %d: m moves on: %v, want %v", size, p.part, moved, shown)
			}
			for _, row := range p.Keys() {
				if row.Hint == "measure" && (row.Blocked() == "") != shown {
					t.Errorf("%v, part %d: the footer names m: %v", size, p.part, !shown)
				}
			}
			r.Press("v")
		}
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("curves were shown or not: %v", seen)
	}
}

// TestCostsAreOfTheTable: the points of the panel have the figures of the table and the marks of
// the methods, whatever the step and the pair of measures; the keys and the mouse turn to it.
func TestCostsAreOfTheTable(t *testing.T) {
	r, p := compareOf(t, threeSeeds(t))
	r.Size(80, 22)
	p.part = costsPart
	pairs := map[axes]bool{}
	for range 2 { // the last epoch, and means
		for range len(p.table.Tradeoffs) {
			o := &p.table.Tradeoffs[p.tradeoff()]
			s := p.scatter()
			for k, point := range s.Points {
				row := &p.table.Rows[o.Points[k].Row]
				i := o.Points[k].Row
				if point.Name != row.Title() || point.Mark != int(p.colors[i])+1 {
					t.Errorf("point %+v, want the name and mark of %s", point, row.Title())
				}
				for c, column := range p.table.Columns {
					cell := row.Cells[c]
					if column.Name == o.X.Name && point.X != cell.Mean.Float() ||
						column.Name == o.Y.Name && column.Class == o.Y.Class &&
							point.Y != cell.Mean.Float() {
						t.Errorf("%s: point %+v, want %s = %v", p.table.At, point, column.Name,
							cell.Mean)
					}
				}
			}
			screen := tuitest.Text(r.Shot())
			for _, want := range []string{"What it costs", s.Y.Label(), s.X.Label(),
				p.clockNote()} {
				if !strings.Contains(screen, want) {
					t.Errorf("no %q:\n%s", want, screen)
				}
			}
			pairs[axesOf(o)] = true
			r.Press("a")
		}
		r.Press("s")
	}
	if len(pairs) != len(p.table.Tradeoffs) || len(pairs) < 4 {
		t.Errorf("a turns to %d pairs of %d", len(pairs), len(p.table.Tradeoffs))
	}
	r.Size(200, 58)
	p.part = tablePart
	at := p.layout(200, 58).costs
	r.Send(kit.Click{X: at.X + 3, Y: at.Y + 3})
	if p.part != costsPart {
		t.Errorf("a click on the panel gives the focus to part %d", p.part)
	}
}

// TestCostsAtEverySize: the panel is exactly as large as its place, and names the front.
func TestCostsAtEverySize(t *testing.T) {
	_, p := compareOf(t, threeSeeds(t))
	o := &p.table.Tradeoffs[0]
	brief := strings.Join(strings.Fields(p.table.FrontNames(o)), " ")
	whole := strings.Join(strings.Fields(p.table.FrontText(o)), " ")
	for _, w := range []int{38, 58, 78, 118, 198} {
		for _, h := range []int{7, 9, 20, 36, 56} {
			lines := p.viewCosts(w, h)
			if len(lines) != h {
				t.Errorf("%d lines of %d by %d", len(lines), w, h)
			}
			text := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
			if !strings.Contains(text, brief) && !strings.Contains(text, whole) {
				t.Errorf("%d by %d: the front is not named in %s", w, h, text)
			}
		}
	}
}

// groupRuns records runs of so many methods on data with groups. The runs are logs of another
// program if they have no classes.
func groupRuns(t *testing.T, methods int, classes bool) *recordtest.Folder {
	t.Helper()
	f := recordtest.NewFolder(t)
	for i, method := range dro.Algorithms()[:methods] {
		f.Add(recordtest.Result{Method: method, Seed: 1, Worst: .6 + float64(i)/100,
			Groups: []string{"land", "water"},
			Meta: func(m *runner.Meta) {
				m.GroupCounts = measure.Counts{Train: []int{30, 10}, Test: []int{100, 100}}
				if !classes {
					m.Classes, m.ClassCounts = nil, measure.Counts{}
					m.Imported = &runner.Imported{Kind: "group_dro", Program: "group_DRO"}
				}
			},
			Also: func(_ int, e *runner.EvalEvent) {
				e.Set("worst_group_accuracy", measure.Num(.5+float64(i)/100))
				e.Set("equalised_odds", measure.Num(.25))
				if !classes {
					e.Set("worst_class_accuracy", measure.Number{})
				}
			}})
	}
	return f
}

// TestWorstOfGroups: of runs with groups, the worst group comes first, in the table and among the
// curves. A log without classes has no curve of the worst class.
func TestWorstOfGroups(t *testing.T) {
	for _, classes := range []bool{true, false} {
		f := groupRuns(t, 2, classes)
		r, p := compareOf(t, lab.Folder(f.Store.Dir()))
		r.Send(lab.Compare{Runs: f.Runs})
		r.Size(200, 58)
		text := tuitest.Text(r.Shot())
		group, class := strings.Index(text, "│ worst group "), strings.Index(text, "│ worst class ")
		if group < 0 || classes && class < group || !classes && class >= 0 {
			t.Errorf("classes %v: the order is not that of what is asked for:\n%s", classes, text)
		}
		if m := p.curves()[p.measures(2)[1]]; m.Name != "worst_group_accuracy" {
			t.Errorf("classes %v: behind the loss comes %s, want the worst group", classes, m.Title)
		}
		for _, at := range p.measures(len(p.curves())) {
			if m := p.curves()[at]; !classes && strings.Contains(m.Name, "class") {
				t.Errorf("there is a curve of the %s of a log without classes", m.Title)
			}
		}
		p.chooseMeasure([]string{"worst_class_accuracy"})
		text = tuitest.Text(r.Shot())
		if strings.Contains(text, "not finite") || !strings.Contains(text, "worst class accuracy") {
			t.Errorf("classes %v: what a log lacks counts as a number:\n%s", classes, text)
		}
	}
}

// TestLongNames: the name of a line is whole where there is room, and takes it from no group, no
// difference and not from the notes.
func TestLongNames(t *testing.T) {
	const name = "│ equalised odds gap "
	f := groupRuns(t, 3, true)
	r, p := compareOf(t, lab.Folder(f.Store.Dir()))
	r.Send(lab.Compare{Runs: f.Runs})
	for _, size := range [][2]int{{80, 22}, {200, 58}} {
		r.Size(size[0], size[1])
		if text := tuitest.Text(r.Shot()); !strings.Contains(text, name) {
			t.Errorf("at %v there is no %q:\n%s", size, name, text)
		}
	}
	f = groupRuns(t, 8, true)
	r, p = compareOf(t, lab.Folder(f.Store.Dir()))
	r.Send(lab.Compare{Runs: f.Runs})
	seen := map[bool]int{}
	for w := 40; w <= 220; w++ {
		r.Size(w, 58)
		shown := func() string {
			l := p.layout(w, 58)
			return fmt.Sprint(p.groups(w-frameCells), p.showsDifferences(), l.notes.W >= leastSide)
		}
		long, got := p.longest, shown()
		p.longest = 0
		least := shown()
		p.longest = long
		seen[p.labelCells() > p.leastLabel()]++
		if got != least {
			t.Errorf("at %d columns the names leave %s, and without them there is %s", w, got,
				least)
		}
		r.Fits(t, fmt.Sprint(w, " columns"))
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("names had room or not: %v", seen)
	}
}

// manyRows returns so many configurations of hostile names, a seed each. All are on the front.
func manyRows(t *testing.T, rows int) *recordtest.Folder {
	t.Helper()
	f := recordtest.NewFolder(t)
	for i := range rows {
		names := []string{"\x1b[31mred", "\u202edetrever", "line\nline", strings.Repeat("long", 30),
			strings.Repeat("模", 30), "e\u0301\u0301\u0301"}
		cost := float64(i) / float64(2*rows)
		f.Add(recordtest.Result{Method: dro.ERM, Seed: 1, Worst: .3 + cost,
			Change: func(s *spec.Spec) {
				s.Model = fmt.Sprintf("program:%02d%s", i, names[i%len(names)])
			},
			Also: func(_ int, e *runner.EvalEvent) {
				e.Set("test_accuracy", measure.Num(.95-cost))
			}})
	}
	return f
}

// TestCostsOfMany: with many methods, words leave the chart its room: they count those that they do
// not name. No name reaches the terminal as it is.
func TestCostsOfMany(t *testing.T) {
	f := manyRows(t, 40)
	r, p := compareOf(t, lab.Folder(f.Store.Dir()))
	r.Send(lab.Compare{Runs: f.Runs})
	if n := len(p.table.Tradeoffs[0].Points); n != 40 {
		t.Fatalf("%d points, want 40", n)
	}
	for _, size := range [][2]int{{38, 9}, {78, 20}, {118, 36}, {198, 56}} {
		w, h := size[0], size[1]
		lines := p.viewCosts(w, h)
		if len(lines) != h {
			t.Errorf("%v: %d lines", size, len(lines))
		}
		words, chart := 0, 0
		for _, line := range lines {
			if strings.ContainsAny(line, "\u202e\n") || strings.Contains(line, "\x1b[31mred") {
				t.Errorf("%v: %q reaches the terminal", size, line)
			}
			if line = cell.Strip(line); cell.Width(line) > w {
				t.Errorf("%v: %q is too wide", size, line)
			}
			if strings.ContainsAny(line, "│┤└") {
				chart++
			} else {
				words++
			}
		}
		if least := max(2, h/3); chart < least {
			t.Errorf("%v: the chart has %d lines below %d of words, want at least %d:\n%s", size,
				chart, words, least, strings.Join(lines, "\n"))
		}
		if text := strings.Join(lines, " "); !strings.Contains(text, "more") &&
			!strings.Contains(text, "40 methods") {
			t.Errorf("%v: nothing says that 40 methods are there", size)
		}
	}
}

// TestDefinitionsAreSentences: no definition goes on with a capital behind a colon.
func TestDefinitionsAreSentences(t *testing.T) {
	_, p := compareOf(t, threeSeeds(t))
	capital := regexp.MustCompile(`: (A|An|The|It|Each|Every|This|No|In|On|At|Of|One|Where|If) `)
	texts := p.definitions()
	for _, text := range texts {
		if capital.MatchString(text) {
			t.Errorf("%q goes on with a capital behind a colon", text)
		}
	}
	if !strings.Contains(strings.Join(texts, "\n"), "A point of What it costs is ") {
		t.Errorf("what a point is is not defined: %q", texts)
	}
}

// TestEmptyPageIsWhole: on the smallest screen, the sentence on a page without a table is whole.
func TestEmptyPageIsWhole(t *testing.T) {
	r, _ := compareOf(t, tuitest.Archive{Folder: lab.Folder(t.TempDir())})
	r.Size(40, 10)
	text := strings.Join(strings.Fields(tuitest.Text(r.Shot())), " ")
	for _, want := range []string{"No run is done yet, so there is nothing to compare.",
		"Select runs on page 3 with the space bar and press c there."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}
