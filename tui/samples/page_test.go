package samples

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/page"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"

	"github.com/google/go-cmp/cmp"
)

// trained returns a run that has ended, on a table of its own, and the path of that table.
func trained(t *testing.T) (r *record.Run, table string) {
	t.Helper()
	table = filepath.Join(t.TempDir(), "t.csv")
	const rows = "1,red,a,u\n2,blue,b,v\n2.5,red,b,u\n0.5,blue,a,v\n3,red,a,u\n"
	text := "x,colour,y,g\n" + strings.Repeat(rows, 30)
	if err := os.WriteFile(table, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s := spec.Defaults()
	s.Algorithms, s.Model, s.Augment = []dro.Algorithm{dro.ERM}, "linear", false
	s.Dataset, s.Batch, s.Epochs, s.ValFraction = "csv:"+table+"?label=y&group=g", 16, 2, .2
	s.RiskRadii = []float64{2, .05}
	return recordtest.Train(t, s), table
}

// pageOn returns a driver on the page, and the page.
func pageOn(t *testing.T, r *record.Run) (*tuitest.Driver, *Page) {
	t.Helper()
	dir := filepath.Dir(r.Dir)
	cfg := lab.Config{RunsDir: dir, Processor: lab.Processor{Cores: 2}}
	l := tuitest.NewLab(t, lab.Folder(dir), cfg, 120, 38)
	p := New(l)
	return tuitest.NewDriver(l, p), p
}

// TestARealRun: the page shows the figures that drolab eval prints of the run, for each split, and
// leaves the folder of the run as it was.
func TestARealRun(t *testing.T) {
	r, _ := trained(t)
	before := contents(t, r.Dir)
	driver, p := pageOn(t, r)
	driver.Send(lab.Samples{Run: r})
	if p.err != nil {
		t.Fatalf("the evaluation: %v", p.err)
	}
	if p.job != nil {
		t.Fatal("the evaluation still runs")
	}
	for _, split := range []string{"test", "val", "train", "test"} {
		look, err := certificate.NewView(t.Context(), certificate.ViewOf{Run: r, Step: -1,
			Split: split, Inspection: certificate.Inspection{Threads: 1}})
		if err != nil {
			t.Fatal(err)
		}
		want, err := look.Pick([]float64{.05, .5, 2})
		if err != nil {
			t.Fatal(err)
		}
		look.Close()
		text := tuitest.Text(driver.Shot())
		for _, part := range []string{split + " split, ",
			"ρ 0.5", "χ²", "step ", "risk " + formatFigure(want.Risks[1]),
			"mean " + page.Percent().Text(want.Accuracy), "newest", "colour"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q in\n%s", split, part, text)
			}
		}
		if got := p.pick.Size; got != want.Size {
			t.Errorf("%s: %d samples, want %d", split, got, want.Size)
		}
		if got, first := p.current().Row, want.Samples[0].Row; got != first {
			t.Errorf("%s: the first is row %d, want %d", split, got, first)
		}
		if diff := cmp.Diff(want.Samples[0].Ratios, p.current().Ratios); diff != "" {
			t.Errorf("%s: the ratios of the first differ (-want +got):\n%s", split, diff)
		}
		driver.Press("m")
	}
	driver.Press("-", "-") // one radius is below the radius of the run
	if driver.Notice.Text == "" {
		t.Error("nothing says that there is no smaller radius")
	}
	if got := p.pick.Radii[p.rho]; got != .05 {
		t.Errorf("the radius is %v, want the smallest, .05", got)
	}
	if len(p.steps) > 1 {
		newest := p.pick.Step
		if driver.Press("c"); p.pick.Step != p.steps[len(p.steps)-2] {
			t.Errorf("c goes from step %d to %d of %v", newest, p.pick.Step, p.steps)
		}
	}
	if after := contents(t, r.Dir); !slices.Equal(after, before) {
		t.Error("the run's folder was changed")
	}
}

// contents returns the names and texts of all files below a folder.
func contents(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		list = append(list, path, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestWhatGoesWrong: an error is one line on the page, and the next attempt can succeed.
func TestWhatGoesWrong(t *testing.T) {
	r, table := trained(t)
	good, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	weights, err := filepath.Glob(filepath.Join(r.Dir, "checkpoints", "*.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if len(weights) == 0 {
		t.Fatal("the run has no weights")
	}
	driver, p := pageOn(t, r)
	says := func(what, want string, do error) {
		t.Helper()
		if do != nil {
			t.Fatal(do)
		}
		driver.Send(lab.Samples{Run: r})
		driver.Press("r")
		words := strings.Fields(strings.ReplaceAll(tuitest.Text(driver.Shot()), "│", ""))
		text := strings.Join(words, " ")
		if p.pick != nil {
			t.Errorf("%s: samples are shown", what)
		}
		if !strings.Contains(text, want) {
			t.Errorf("%s: the page lacks %q:\n%s", what, want, text)
		}
		if n := strings.Count(text, "! "); n != 1 {
			t.Errorf("%s: %d errors are shown, want one:\n%s", what, n, text)
		}
	}
	says("the data are gone", "t.csv: check the path", os.Rename(table, table+".away"))
	says("the data have changed", "is another one",
		os.WriteFile(table, append(good, "9,red,a,u\n"...), 0o644))
	says("the weights are damaged", "checksum differs",
		errors.Join(os.WriteFile(table, good, 0o644), flip(weights[len(weights)-1])))
	says("no checkpoint", "has no checkpoint", os.RemoveAll(filepath.Join(r.Dir, "checkpoints")))
}

// flip changes the last byte of a file.
func flip(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text[len(text)-1] ^= 1
	return os.WriteFile(path, text, 0o644)
}

// TestEvaluationUnderWay: an evaluation shows its progress and ends when it is cancelled or another
// one is asked for. The result of an abandoned evaluation is not shown.
func TestEvaluationUnderWay(t *testing.T) {
	r, _ := trained(t)
	driver, p := pageOn(t, r)
	var ended []error
	p.Evaluate = func(_ context.Context, q certificate.ViewOf) (*certificate.Pick, error) {
		if err := q.Progress(34, 100); err != nil {
			t.Error("ended before it was cancelled")
		}
		driver.Send(kit.Tick(*driver.Now))
		text := tuitest.Text(driver.Shot())
		for _, want := range []string{"Evaluating the test split: 34 %", "Esc cancels"} {
			if !strings.Contains(text, want) {
				t.Errorf("under way the page lacks %q:\n%s", want, text)
			}
		}
		if driver.Press("f"); !strings.Contains(driver.Notice.Text, "being evaluated") {
			t.Errorf("f says %q", driver.Notice.Text)
		}
		driver.Press("esc")
		ended = append(ended, q.Progress(35, 100))
		return tuitest.NewPick(&q.Run.Meta, true), nil
	}
	driver.Send(lab.Samples{Run: r})
	if len(ended) != 1 || !errors.Is(ended[0], context.Canceled) {
		t.Errorf("the evaluation ended with %v, want it cancelled once", ended)
	}
	if p.pick != nil {
		t.Error("the samples of a cancelled evaluation are shown")
	}
	if p.job != nil {
		t.Error("a cancelled evaluation is still the page's")
	}
	if text := tuitest.Text(driver.Shot()); !strings.Contains(text, "r evaluates it") {
		t.Errorf("cancelled:\n%s", text)
	}
	old := &job{source: p.Source, evaluate: p.Evaluate}
	old.start(t.Context())
	p.Evaluate = made(true)
	driver.Press("r")
	shown := p.pick
	driver.Send(pickedMsg{job: old, err: errors.New("late")})
	if p.pick == nil || p.pick != shown {
		t.Error("the samples of a late answer are shown")
	}
	if p.err != nil {
		t.Errorf("the error of a late answer is shown: %v", p.err)
	}
}

// TestViewers: a viewer of a read-only interface starts no program.
func TestViewers(t *testing.T) {
	r, _ := trained(t)
	for _, looks := range []bool{false, true} {
		driver, p := pageOn(t, r)
		p.Config.Programs, p.Config.ReadOnly = "approved", looks
		p.Evaluate = func(ctx context.Context, q certificate.ViewOf) (*certificate.Pick, error) {
			if starts := q.Programs != ""; starts == looks {
				t.Errorf("who only looks: %v, approvals %q", looks, q.Programs)
			}
			return made(true)(ctx, q)
		}
		if driver.Send(lab.Samples{Run: r}); p.pick == nil {
			t.Error("not asked")
		}
	}
}

// made returns an Evaluate with a made-up answer.
func made(table bool) Evaluate {
	return func(_ context.Context, q certificate.ViewOf) (*certificate.Pick, error) {
		return tuitest.NewPick(&q.Run.Meta, table), nil
	}
}

// TestClicks: a click on a visible sample goes to that sample.
func TestClicks(t *testing.T) {
	r, _ := trained(t)
	for _, table := range []bool{true, false} {
		driver, p := pageOn(t, r)
		p.Evaluate = made(table)
		r.Meta.Classes = tuitest.Meta(dro.ERM, tuitest.Epoch0()).Classes
		p.Source = lab.Folder(t.TempDir()) // it does not have the run, which stays as it is here
		driver.Send(lab.Samples{Run: r})
		seen := map[int]bool{}
		for y := range 38 {
			for x := range 120 {
				driver.Press("g")
				at, ok := p.sampleAt(x, y)
				if !ok || at == 0 {
					continue
				}
				seen[at] = true
				driver.Send(kit.Click{X: x, Y: y})
				if p.at != at {
					t.Fatalf("a click at %d, %d goes to sample %d, want %d", x, y, p.at, at)
				}
				if p.zoomed {
					t.Fatalf("a click at %d, %d zooms", x, y)
				}
			}
		}
		across, down := p.page()
		if len(seen) != min(across*down, len(p.shown))-1 {
			t.Errorf("clicks reach %d samples, %d by %d are seen", len(seen), across, down)
		}
		driver.Press("g")
		if driver.Send(kit.Click{X: 3, Y: 4}); !p.zoomed {
			t.Error("a click on the cursor does not zoom")
		}
	}
}

// TestCursor: the arrows lead everywhere, and the cursor stays on existing samples.
func TestCursor(t *testing.T) {
	r, _ := trained(t)
	driver, p := pageOn(t, r)
	p.Evaluate = made(false)
	p.Source = lab.Folder(t.TempDir())
	r.Meta.Classes = tuitest.Meta(dro.ERM, tuitest.Epoch0()).Classes
	driver.Send(lab.Samples{Run: r})
	across, _ := p.page()
	for _, c := range []struct {
		key string
		at  int
	}{
		{"right", 1}, {"down", 1 + across}, {"left", across}, {"up", 0}, {"up", 0},
		{"end", 39}, {"down", 39}, {"home", 0},
	} {
		if driver.Press(c.key); p.at != c.at {
			t.Errorf("%s goes to %d, want %d", c.key, p.at, c.at)
		}
	}
	driver.Press("f")
	if p.part != 1 {
		t.Errorf("the filter shows part %d, want 1", p.part)
	}
	if !p.current().Wrong() {
		t.Error("the filter for wrong predictions shows one that is right")
	}
	if len(p.shown) != 32 {
		t.Errorf("the filter shows %d samples, want 32", len(p.shown))
	}
	for range len(p.pick.Parts) {
		for range orderCount {
			driver.Press("s")
			sorted := slices.IsSortedFunc(p.shown, func(i, j int) int {
				a, b := &p.pick.Samples[i], &p.pick.Samples[j]
				return map[order]int{byWeight: i - j, byClasses: a.Label - b.Label,
					byRow: a.Row - b.Row}[p.order]
			})
			if p.order == byGroup {
				t.Errorf("part %d is sorted by group, though the data have none", p.part)
			}
			if !sorted {
				t.Errorf("part %d is not sorted %v", p.part, p.order)
			}
		}
		driver.Press("f")
	}
	if driver.Press("esc"); p.part != 0 {
		t.Error("Esc leaves the filter")
	}
}

// TestLossText: the loss of a sample is defined as the run has it, and by the file of an import.
func TestLossText(t *testing.T) {
	for loss, want := range map[string]string{nn.CrossEntropy: "-log p(label)",
		nn.ErrorProbability: "1 - p(label)", nn.Squared: "squared distance"} {
		r := &record.Run{}
		r.Meta.Spec.Loss = loss
		if got := (&Page{run: r}).lossText(); !strings.Contains(got, want) {
			t.Errorf("the loss %s is defined as %q, want %q in it", loss, got, want)
		}
		r.Meta.Imported = &runner.Imported{Columns: []string{"label", "loss"}}
		if got := (&Page{run: r}).lossText(); !strings.Contains(got, "as the imported file") {
			t.Errorf("imported, the loss %s is defined as %q, want the file named", loss, got)
		}
	}
}
