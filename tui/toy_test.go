package tui

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/compare"
	"drolab/runner/measure"
	"drolab/runner/queue"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
	"drolab/tui/watch/panel"

	tea "charm.land/bubbletea/v2"
)

// These tests add from outside, in one place each, what CONTRIBUTING says can be added in a place
// or two, and find it everywhere in the program. No package knows any of it.

// addToys adds five methods, three measures, a panel and a page to the program, for one test.
func addToys(t *testing.T) {
	t.Helper()
	for i := range 5 {
		t.Cleanup(dro.Register(toyMethod(i)))
	}
	for i := range 3 {
		t.Cleanup(measure.RegisterMeasure(toyMeasure(i)))
	}
	before := added
	t.Cleanup(func() { added = before })
	added = func(m *Model) {
		m.bind(append(m.pages, &toyPage{}))
		m.watch.Board.BuiltIn = func() []panel.Panel {
			return append(panel.BuiltIn(), panel.Panel{Title: "Toys",
				Views: []panel.View{{Name: "hits", Curves: []string{another("hits", 1)}}}})
		}
	}
}

// another returns the name of the i-th of several toys: the first has the bare name.
func another(name string, i int) string {
	if i == 0 {
		return name
	}
	return fmt.Sprint(name, i)
}

// toyMethod returns a method that weighs a sample by how far its loss is above a running mean of
// losses. It has a state, two settings, one of them a knob, and a measure of its own.
func toyMethod(i int) dro.Method {
	rate, up, heat := another("toy_rate", i), another("toy_up", i), another("heat", i)
	return dro.Method{
		Name: dro.Algorithm(another("toy", i)), Doc: "weighs what lies above a running mean",
		Source: "a test",
		Settings: []dro.Setting{
			{Key: rate, Doc: "how fast the running mean moves",
				Default: dro.Fixed(.25), Want: "a number in (0, 1]",
				Check: func(x float64) bool { return x > 0 && x <= 1 }, Live: true},
			{Key: up, Doc: "weight of the losses above the mean", Default: dro.Fixed(2),
				Want: "a number > 0", Check: func(x float64) bool { return x > 0 }},
		},
		Measures: []dro.Measure{{Name: heat, Title: another("running heat", i), Symbol: "H",
			Unit: "nats", Better: dro.Lower, Doc: "the running mean of the toy's losses"}},
		New: func(t dro.Task) (dro.Trainer, error) {
			return &toy{task: t, rate: rate, up: up, name: heat}, nil
		},
	}
}

type toy struct {
	dro.Base
	task           dro.Task
	rate, up, name string // of its settings and its measure
	heat           float64
}

func (y *toy) Weights(w []float64, b dro.Batch) {
	for i, l := range b.Losses {
		if w[i] = 1; l > y.heat {
			w[i] = y.task.Number(y.up)
		}
	}
}

func (y *toy) After(b dro.Batch, _ dro.Step) {
	for _, l := range b.Losses {
		y.heat += y.task.Number(y.rate) / float64(len(b.Losses)) * (l - y.heat)
	}
}

func (y *toy) numbers() map[string]float64 { return map[string]float64{y.name: y.heat} }

func (y *toy) Report(put func(string, float64)) { put(y.name, y.heat) }
func (y *toy) State() dro.State                 { return dro.State{Numbers: y.numbers()} }
func (y *toy) Restore(s dro.State) error        { y.heat = s.Numbers[y.name]; return nil }

// toySpec returns the spec of a quick run of the toy method, of 30 steps.
func toySpec(t *testing.T, assignments ...string) spec.Spec {
	t.Helper()
	s := spec.Defaults()
	for _, a := range append([]string{"algorithms=[toy]", "dataset=csv:example", "model=linear",
		"epochs=2", "batch=32", "log_every=3", "checkpoint_every=4"}, assignments...) {
		if err := presets.Set(&s, a); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// toyRun trains to the end and returns the run's name.
func toyRun(t *testing.T, store runner.Store, parent string, settings spec.Spec) string {
	t.Helper()
	q := queue.NewQueue(context.Background(), queue.Settings{Store: store})
	ids, err := q.Start(runner.Request{Preset: "toys", Parent: parent,
		Specs: []spec.Spec{settings}})
	if err != nil {
		t.Fatal(err)
	}
	if o := q.Wait(); o[0].Status != runner.Done {
		t.Fatalf("outcome %+v, want done", o[0])
	}
	return ids[0]
}

// killedStore is a store that copies the folder of runs when a run has logged a step. The copy is
// what a process leaves that is killed there.
type killedStore struct {
	runner.Store
	step     int64
	from, to string
	t        testing.TB
	happened bool
}

func (k *killedStore) Create(m *runner.Meta, from *runner.State) (runner.Recorder, error) {
	r, err := k.Store.Create(m, from)
	return &killedRecorder{r, k}, err
}

type killedRecorder struct {
	runner.Recorder
	killed *killedStore
}

func (r *killedRecorder) Append(e runner.Event) error {
	err := r.Recorder.Append(e)
	if k := r.killed; !k.happened && e.Header().Step >= k.step {
		k.happened = true
		if err := os.CopyFS(k.to, os.DirFS(k.from)); err != nil {
			k.t.Error(err)
		}
	}
	return err
}

// toyStore returns a new folder of runs.
func toyStore(t *testing.T) *record.Store {
	t.Helper()
	s, err := record.Open(filepath.Join(t.TempDir(), "runs"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// lastState returns the last checkpoint of a run, and its spec.
func lastState(t *testing.T, s *record.Store, id string) (*runner.State, spec.Spec) {
	t.Helper()
	r, err := record.Find(s.Dir(), id)
	if err != nil {
		t.Fatal(err)
	}
	past, err := s.Load(id, r.Meta.Steps)
	if err != nil {
		t.Fatal(err)
	}
	return past.From, past.Meta.Spec
}

// sameState reports whether two states are equal to the bit.
func sameState(a, b *runner.State) bool {
	for i, p := range a.Parameters {
		if !slices.Equal(p.Data, b.Parameters[i].Data) ||
			!slices.Equal(a.Velocities[i].Data, b.Velocities[i].Data) {
			return false
		}
	}
	return a.Method.Numbers["heat"] == b.Method.Numbers["heat"]
}

// TestToyMethodTrains: a registered method trains, resumes after a kill to the same bits, and can
// be forked.
func TestToyMethodTrains(t *testing.T) {
	defer dro.Register(toyMethod(0))()
	whole := toyStore(t)
	after := filepath.Join(t.TempDir(), "after")
	k := &killedStore{Store: whole, step: 18, from: whole.Dir(), to: after, t: t}
	id := toyRun(t, k, "", toySpec(t))
	want, spec := lastState(t, whole, id)
	if want.Method.Numbers["heat"] == 0 || spec.Own["toy_rate"].Or(.25) != .25 {
		t.Fatalf("the run ended at %+v with %+v", want.Method, spec.Own)
	}

	again, err := record.Open(after)
	if err != nil {
		t.Fatal(err)
	}
	if !k.happened {
		t.Fatal("the run was not killed")
	}
	if r, _ := record.Find(after, id); r == nil || r.Status() != runner.Interrupted {
		t.Fatal("the killed run does not stand as interrupted")
	}
	q := queue.NewQueue(context.Background(), queue.Settings{Store: again})
	if err := q.Resume(id); err != nil {
		t.Fatal(err)
	}
	q.Wait()
	if got, _ := lastState(t, again, id); !sameState(got, want) {
		t.Errorf("resumed it came to %+v, want %+v, or the weights differ", got.Method, want.Method)
	}

	past, err := whole.Load(id, 28)
	if err != nil {
		t.Fatal(err)
	}
	fork, err := past.Fork()
	if err != nil {
		t.Fatal(err)
	}
	same := toyRun(t, whole, id+"@28", fork)
	if got, _ := lastState(t, whole, same); !sameState(got, want) {
		t.Error("a fork without a change is not its parent")
	}
	if err := presets.Set(&fork, "toy_rate=1"); err != nil {
		t.Fatal(err)
	}
	other := toyRun(t, whole, id+"@28", fork)
	got, s := lastState(t, whole, other)
	if sameState(got, want) {
		t.Errorf("a fork with another toy_rate comes to the same state %+v", got.Method)
	}
	if rate := s.Text("toy_rate"); rate != "1" {
		t.Errorf("the fork has toy_rate %s, want 1", rate)
	}
}

// TestToySettings: the settings of a registered method are settings of presets, --set, knobs and
// the interface, for the methods that read them and for no others.
func TestToySettings(t *testing.T) {
	defer dro.Register(toyMethod(0))()
	file := filepath.Join(t.TempDir(), "toys.yaml")
	text := "algorithms: [toy]  # reason: it is the test's\n" +
		"toy_up: 3  # reason: three of them\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := presets.Load(file)
	if err != nil {
		t.Fatalf("Load(%q): %v", file, err)
	}
	if got := p.Spec.Text("toy_up"); got != "3" {
		t.Fatalf("the preset has toy_up %q, want 3", got)
	}
	if err := p.Spec.Validate(); err != nil {
		t.Fatalf("the preset is refused: %v", err)
	}
	s := toySpec(t, "toy_rate=2")
	err = s.Validate()
	if err == nil || !strings.Contains(err.Error(), "toy_rate: 2: expected a number in (0, 1]") {
		t.Errorf("toy_rate=2 is refused with %v, want the range (0, 1]", err)
	}
	live := s.Knobs()
	if !slices.Contains(live, "toy_rate") {
		t.Errorf("the knobs are %v, want toy_rate among them", live)
	}
	if slices.Contains(live, "toy_up") {
		t.Errorf("the knobs are %v, want no toy_up", live)
	}
	erm := toySpec(t, "algorithms=[erm]")
	if slices.Contains(erm.Knobs(), "toy_rate") {
		t.Error("ERM has the toy's knob")
	}
	one, two := toySpec(t), toySpec(t, "toy_up=5")
	if d := compare.Diff([]spec.Spec{one, two}); len(d) != 1 || d[0].Key != "toy_up" {
		t.Errorf("they differ in %+v, want in toy_up alone", d)
	}

	r := newDriver(t, tuitest.NewScript(t), 200, 60)
	r.Press("tab")
	if strings.Contains(tuitest.Text(r.shot(t)), "toy_rate") {
		t.Error("Launch shows the toy's settings where nobody reads them")
	}
	for range dro.Methods() { // the toy is the last box of the first row
		r.Press("right")
	}
	r.Press("space")
	screen := ""
	for range 60 {
		screen += tuitest.Text(r.shot(t))
		r.Press("down")
	}
	for _, want := range []string{"[x]toy", "Settings of toy", "toy_rate",
		"how fast the running mean moves"} {
		if !strings.Contains(screen, want) {
			t.Errorf("Launch never shows %q", want)
		}
	}
}

// TestToyMethodIsSeen: the measure of a registered method has a curve, a column in every table, a
// row in the CSV, a key for filters and a definition.
func TestToyMethodIsSeen(t *testing.T) {
	addToys(t)
	store := toyStore(t)
	id := toyRun(t, store, "", toySpec(t))
	s := &tuitest.Script{Folder: lab.Folder(store.Dir()), Now: tuitest.Epoch0()}
	r := newDriver(t, s, 200, 60)
	r.Source, r.Config.RunsDir = s.Folder, t.TempDir()
	r.Press("2")
	r.Wait(time.Second, time.Second/5)
	sees := func(where string, wants ...string) {
		t.Helper()
		screen := tuitest.Text(r.shot(t))
		for _, want := range wants {
			if !strings.Contains(screen, want) {
				t.Errorf("%s does not show %q:\n%s", where, want, screen)
			}
		}
	}
	sees("Watch's table", " H  AUROC")
	for _, measure := range []string{"running heat", "hits and misses"} {
		flipTo(t, r, measure)
		r.Press("i")
		switch measure {
		case "running heat":
			sees("i", "the running mean of the toy's losses")
		default:
			sees("i", "samples that are right less those that are wrong")
		}
		r.Press("esc", "e")
		r.Press("esc")
	}
	for name, last := range map[string]string{"heat": "30", "hits": "30"} {
		if rows := exported(t, r.Config.RunsDir, name); len(rows) == 0 ||
			rows[len(rows)-1]["step"] != last {
			t.Errorf("the CSV of %s has the rows %v, want step %s last", name, rows, last)
		}
	}

	r.Press("3", "/")
	r.Type("heat>0 hits>0")
	r.Press("enter")
	sees("Runs", "running heat ", "hits and misses ", "toy")
	r.Press("enter", "3", "/")
	table := compare.Runs(runsOf(t, store), compare.Options{})
	for _, name := range []string{"heat", "hits"} {
		if !slices.ContainsFunc(table.Columns,
			func(c compare.Column) bool { return c.Name == name }) {
			t.Errorf("compare has no %s: %+v", name, table.Columns)
		}
	}
	if got := summaryOf(t, store, id).Named("heat"); !got.Applies() {
		t.Error("the summary has no heat")
	}
}

// TestToyWhatIf: the form for a fork says of every setting whether the training of a registered
// method reads it. The toy reads its own settings and those of every training, and nothing of the
// uncertainty set, which its report reads.
func TestToyWhatIf(t *testing.T) {
	defer dro.Register(toyMethod(0))()
	store := toyStore(t)
	toyRun(t, store, "", toySpec(t))
	s := &tuitest.Script{Folder: lab.Folder(store.Dir()), Now: tuitest.Epoch0()}
	r := newDriver(t, s, 120, 40)
	r.Source, r.Config.RunsDir = s.Folder, store.Dir()
	r.Press("2")
	r.Wait(time.Second, time.Second/5)
	r.Press("F")
	settings, seen := toySpec(t), map[string]int{}
	for _, key := range settings.Forkable() {
		screen := tuitest.Text(r.shot(t))
		want := "The training of toy reads it."
		if t, _ := spec.FindSetting(key); t.Group == "Uncertainty set" {
			want = "Only the report of toy reads it: no training step changes."
		}
		if seen[want]++; !strings.Contains(screen, want) ||
			!strings.Contains(screen, " "+key+": ") {
			t.Errorf("%s, no %q:\n%s", key, want, screen)
		}
		r.Press("down")
	}
	r.Type("lambda0=.2")
	form := tuitest.Text(r.shot(t))
	if n := strings.Count(form, "report only"); n != 3 {
		t.Errorf("%d settings are for the report only, want 3:\n%s", n, form)
	}
	if want := "toy does not read it: nothing changes."; !strings.Contains(form, want) {
		t.Errorf("of lambda0 the form lacks %q:\n%s", want, form)
	}
	if len(seen) != 2 || seen["The training of toy reads it."] < 5 {
		t.Errorf("said of the settings: %v, want two sentences", seen)
	}
}

// toyMeasure returns a measure of evaluations.
func toyMeasure(i int) measure.Measure {
	return measure.Measure{Main: true, Measure: dro.Measure{Name: another("hits", i),
		Title: another("hits and misses", i), Better: dro.Higher,
		Doc: "test samples that are right less those that are wrong"},
		Value: func(e *measure.Evaluation) measure.Number {
			n := 0
			for _, right := range e.Test.Correct {
				if n--; right {
					n += 2
				}
			}
			return measure.Num(float64(n))
		}}
}

// TestToysChangeNothingElse: the toys change no golden screen but Launch's, which lists the
// methods, and every method has a mark of its own.
func TestToysChangeNothingElse(t *testing.T) {
	testsize.NotShort(t, "draws every page, as TestGoldens does")
	addToys(t)
	for _, v := range pages(t) {
		if same := v.golden(t) == tuitest.GoldenOf(t, v.name); same == (v.name == "launch") {
			t.Errorf("%s is as it was without the toys: %v", v.name, same)
		}
	}
	marks := map[string]bool{}
	for i := range dro.Methods() {
		marks[newDriver(t, tuitest.NewScript(t), 80, 24).Theme.Mark(kit.MethodNumber(i))] = true
	}
	if len(marks) != len(dro.Methods()) {
		t.Errorf("%d marks of %d methods", len(marks), len(dro.Methods()))
	}
}

// flipTo turns the last panel to the view with this name.
func flipTo(t *testing.T, r *driver, name string) {
	t.Helper()
	r.Press("shift+tab")
	for !strings.Contains(tuitest.Text(r.shot(t)), "▸ Other measures") {
		r.Press("shift+tab")
	}
	for range 30 {
		if strings.Contains(tuitest.Text(r.shot(t)), "Other measures · "+name) {
			return
		}
		r.Press("f")
	}
	t.Fatalf("no panel shows %s:\n%s", name, tuitest.Text(r.shot(t)))
}

// exported returns the rows of the CSV of a measure.
func exported(t *testing.T, dir, measure string) (rows []map[string]string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "export-"+measure+"-*.csv"))
	if len(files) != 1 {
		t.Fatalf("%s was exported to %v", measure, files)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, head := range lines[0] {
			row[head] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func runsOf(t *testing.T, s *record.Store) []*record.Run {
	t.Helper()
	runs, problems := record.List(s.Dir())
	if len(problems) > 0 {
		t.Fatalf("the problems of the folder are %v, want none", problems)
	}
	return runs
}

func summaryOf(t *testing.T, s *record.Store, id string) *runner.Summary {
	t.Helper()
	r, err := record.Find(s.Dir(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r.Summary()
}

// toySet is KL under another name.
type toySet struct{ dro.KL }

func (toySet) Name() string  { return "toy-set" }
func (toySet) Label() string { return "toys" }

// TestToySet: a registered set trains with every method that is defined for it, with the same
// result as KL, and has its label in tables.
func TestToySet(t *testing.T) {
	defer dro.RegisterSet("toy-set", func(_, _ float64) dro.Set { return toySet{} })()
	store := toyStore(t)
	for _, m := range testsize.Few(2, dro.Methods()...) {
		a := m.Name
		settings := []string{"algorithms=[" + string(a) + "]", "jtt_epochs=1"}
		if m.Refits {
			settings = append(settings, "val_fraction=0.2", "min_group=10")
		}
		kl := toyRun(t, store, "", toySpec(t, append(settings, "uncertainty=kl")...))
		own := toyRun(t, store, "", toySpec(t, append(settings, "uncertainty=toy-set")...))
		want, _ := lastState(t, store, kl)
		got, _ := lastState(t, store, own)
		for i, p := range got.Parameters {
			if !slices.Equal(p.Data, want.Parameters[i].Data) {
				t.Errorf("%s: %s differs from KL's", a, p.Name)
			}
		}
		risk := summaryOf(t, store, own).Named("robust_risk").Float()
		if d := risk - summaryOf(t, store, kl).Named("robust_risk").Float(); math.Abs(d) > 1e-9 {
			t.Errorf("%s: robust risk %g differs from KL's by %g", a, risk, d)
		}
	}
	s := &tuitest.Script{Folder: lab.Folder(store.Dir()), Now: tuitest.Epoch0()}
	r := newDriver(t, s, 200, 60)
	if r.Press("3"); !strings.Contains(tuitest.Text(r.shot(t)), "toys, ρ 0.5") {
		t.Errorf("Runs does not show the set:\n%s", tuitest.Text(r.shot(t)))
	}
}

// toyPage is a page that counts how often it is turned to.
type toyPage struct{ turned int }

func (*toyPage) Title() string          { return "Toys" }
func (p *toyPage) Init() tea.Cmd        { p.turned++; return nil }
func (*toyPage) Update(tea.Msg) tea.Cmd { return nil }
func (*toyPage) Typing() bool           { return false }
func (*toyPage) View(w, h int) []string { return kit.Fill([]string{"all the toys"}, w, h) }
func (p *toyPage) Keys() []kit.Key {
	wind := kit.Just(func() { p.turned += 10 })
	return []kit.Key{{Keys: kit.On("!"), Hint: "wind", Help: "wind them up", Act: wind}}
}

// TestToyPage: a page in the table of pages has a tab, a number, keys, hints and help.
func TestToyPage(t *testing.T) {
	addToys(t)
	r := newDriver(t, tuitest.NewScript(t), 120, 40)
	last := len(r.pages) - 1
	number, p := fmt.Sprint(last+1), r.pages[last].(*toyPage)
	r.Press(number, "!")
	screen := tuitest.Text(r.shot(t))
	for _, want := range []string{number + " Toys", "all the toys", "! wind"} {
		if !strings.Contains(screen, want) {
			t.Errorf("no %q:\n%s", want, screen)
		}
	}
	r.Press("?")
	help := tuitest.Text(r.shot(t))
	for _, want := range []string{"wind them up", "1 to " + number,
		r.pages[last-1].Title() + ", Toys"} {
		if !strings.Contains(help, want) {
			t.Errorf("help has no %q:\n%s", want, help)
		}
	}
	r.Press("esc", "]", "[")
	if p.turned != 12 {
		t.Errorf("the page was turned to %d times, want 12", p.turned)
	}
	if int(r.current) != last {
		t.Errorf("page %d is shown, want the last, %d", r.current, last)
	}
	if r.Press("1", "!"); !strings.Contains(r.notice.Text, "works on page "+number+", Toys") {
		t.Errorf("elsewhere %q", r.notice.Text)
	}
}
