package runs

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner"
	"drolab/runner/record"
	"drolab/runner/record/recordtest"
	"drolab/tui/cell"
	"drolab/tui/internal/render"
	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// The flags of BenchmarkMany, which measures how much many runs cost a user. A folder that is made
// once can serve other measurements, too:
//
//	go test ./tui/runs -run - -bench Many -runs 10000 -into /tmp/many
var (
	into = flag.String("into", "", "the folder of BenchmarkMany's runs, filled where it is new")
	many = flag.Int("runs", 1000, "how many runs BenchmarkMany has")
)

func manyRuns(b *testing.B) (dir string) {
	b.Helper()
	if dir = *into; dir == "" {
		dir = b.TempDir()
	}
	if list, _ := os.ReadDir(dir); len(list) > 0 {
		return dir
	}
	p, err := presets.Load("shapes")
	if err != nil {
		b.Fatal(err)
	}
	s := p.Spec
	s.Algorithms, s.Epochs, s.Samples, s.Model = []dro.Algorithm{dro.SFK}, 2, 1000, "linear"
	recordtest.Many(b, dir, recordtest.Train(b, s), *many, 250)
	return dir
}

// slowFolder is a folder of which some runs are read.
type slowFolder struct {
	lab.Folder
	now *runner.Reading
}

func (s slowFolder) Reading() *runner.Reading { return s.now }

// TestFirstReadingIsCounted: before the first list is there, the title says how many runs are read,
// and never that there are none.
func TestFirstReadingIsCounted(t *testing.T) {
	s := &slowFolder{lab.Folder(t.TempDir()), nil}
	p := New(tuitest.NewLab(t, s, lab.Config{RunsDir: string(s.Folder)}, 80, 22))
	title := func() string { return cell.Strip(p.View(80, 22)[0]) }
	if got := title(); strings.Contains(got, "0 runs") {
		t.Errorf("before anything is read, the title is %q, want no count", got)
	}
	s.now = &runner.Reading{What: lab.ReadingRuns, Done: 110, Of: 10_000}
	if got, want := title(), " 110 of 10 000 runs read "; !strings.Contains(got, want) {
		t.Errorf("while runs are read, the title is %q, want %q", got, want)
	}
	p.Update(lab.Listed{})
	if got, want := title(), " 0 runs "; !strings.Contains(got, want) {
		t.Errorf("of an empty folder the title is %q, want %q", got, want)
	}
}

// TestMoveBytes: at 200×60 a key that moves the cursor sends at most keyBudget bytes, also where
// the list scrolls, with the details of another run at each key.
func TestMoveBytes(t *testing.T) {
	const keyBudget = 3000
	var runs []*record.Run
	archive, _ := tuitest.NewArchive(t).List()
	for i := range 80 { // of several methods, presets and days
		r := *archive[i%len(archive)]
		r.Meta.ID = fmt.Sprintf("run-%03d", i)
		r.Meta.Created = r.Meta.Created.Add(-5 * time.Hour * time.Duration(i))
		runs = append(runs, &r)
	}
	r, _ := runsOf(t, lab.NewFixedRuns(func() ([]*record.Run, error) { return runs, nil }))
	r.Size(200, 58)
	r.Send(r.List()())
	wire := render.NewRenderer(200, 58)
	wire.Frame(t, r.View())
	most := 0
	for range 40 { // from the 24th on the list scrolls
		r.Press("down")
		most = max(most, wire.Frame(t, r.View()))
	}
	if t.Logf("at most %d bytes a key", most); most == 0 || most > keyBudget {
		t.Errorf("a key sends %d bytes, want at most %d", most, keyBudget)
	}
}

func BenchmarkMany(b *testing.B) {
	dir, cache := manyRuns(b), b.TempDir()
	b.Run("anew", func(b *testing.B) {
		for b.Loop() {
			lab.Folder(dir).List()
		}
	})
	lab.OpenCatalogued(dir, cache, false).List()
	source := lab.OpenCatalogued(dir, cache, false)
	b.Run("listed", func(b *testing.B) {
		for b.Loop() {
			lab.OpenCatalogued(dir, cache, true).List()
		}
	})
	runs, problems := source.List()
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			source.List()
		}
	})
	l := tuitest.NewLab(b, source, lab.Config{RunsDir: dir}, 160, 40)
	l.Colors = lab.ColorsOf(runs)
	var p *Page
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			p = New(l)
			p.Update(lab.Listed{Runs: runs, Problems: problems})
			p.View(160, 40)
		}
	})
	b.Run("sort", func(b *testing.B) {
		for b.Loop() {
			p.sortBy("mean %")
			p.View(160, 40)
		}
	})
	b.Run("filter", func(b *testing.B) {
		for b.Loop() {
			p.line = kit.NewInput("lr<0.5 worst>=0 mean>0.5")
			p.refilter()
			p.View(160, 40)
		}
	})
}
