package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/page"
	"drolab/runner/record"
	cells "drolab/tui/cell"
	"drolab/tui/kit"

	"charm.land/lipgloss/v2"
)

func TestPrintError(t *testing.T) {
	var b bytes.Buffer
	printError(&b, failures{errors.New("one\nand more"), errors.New("two")})
	if want := "drolab: one; and more\ndrolab: two\n"; b.String() != want {
		t.Errorf("printed %q, want %q", b.String(), want)
	}
	if (failures{}).orNil() != nil {
		t.Error("no failure is an error")
	}
}

func TestGrid(t *testing.T) {
	var b bytes.Buffer
	grid(&b, [][]string{{"", "sfk"}, {"η", "1"}, {"robust", "12345"}})
	if want := "          sfk\nη           1\nrobust  12345\n"; b.String() != want {
		t.Errorf("grid:\n%s\nwant\n%s", b.String(), want)
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{percent(runner.Num(.1234)), "12.3 %"}, {percent(runner.Number{}), "–"},
		{short(runner.Num(1.23456)), "1.235"}, {short(runner.Number{}), "–"},
		{page.Fixed(0).Text(runner.Num(1234.5)), "1234"}, {page.Fixed(0).Text(runner.Number{}), "–"},
		{kit.Plural(1, "run"), "1 run"}, {kit.Plural(2, "run"), "2 runs"},
		{bar(1, 2, 10, false), "━━━━━─────"},
		{bar(3, 2, 4, true), "####"}, {bar(1, 0, 4, true), "...."},
		{megabytes(170052171), "170.1 MB"},
		{short(runner.Least([]runner.Number{{}, runner.Num(3), runner.Num(2)})), "2"},
		{short(runner.Least(nil)), "–"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// Lists, completion and choices have a data source as soon as it is registered.
func TestRegisteredDataIsListed(t *testing.T) {
	defer data.Register(data.Provider{Name: "toy", Purpose: "for a test", Files: &data.Files{Folder: "toy",
		Remote: []data.Remote{{Name: "toy.bin", Size: 2e6}}},
		Open: func(string, data.Options) (*data.Dataset, error) { return nil, errors.New("not here") }})()
	var out, problems bytes.Buffer
	env := Env{Stdout: cells.NewWriter(&out), Stderr: &problems, DataDir: t.TempDir(), RunsDir: t.TempDir(),
		Orderly: func(ctx context.Context, _ func()) (context.Context, context.CancelFunc) {
			return context.WithCancel(ctx)
		}}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"data list", 0, "toy              for a test (not here; drolab data fetch toy loads 2.0 MB)\n"},
		{"__complete data fetch t", 0, "toy\tfor a test\n"},
		{"data fetch shapes", 1, "choose cifar10, cifar100, cifar100-coarse, mnist, fashion-mnist or toy\n"},
		{"run shapes --set dataset=tyo --inline", 1, "images:DIR or toy\n"},
	} {
		out.Reset()
		problems.Reset()
		code := Main(context.Background(), env, strings.Fields(c.args))
		if code != c.code || !strings.Contains(out.String()+problems.String(), c.want) {
			t.Errorf("%s gives %d, %s%s", c.args, code, out.String(), problems.String())
		}
	}
}

func testLive(step int64) *live {
	spec := runner.Defaults()
	spec.Algorithms, spec.Epochs = []dro.Algorithm{dro.SFK}, 10
	m := runner.Meta{Preset: "shape\x1b", Spec: spec, Steps: 100, StepsPerEpoch: 10}
	l := &live{Progress: record.NewProgress(&m), meta: m}
	start := time.Unix(1000, 0)
	at := func(s int64, d time.Duration) runner.Head { return runner.Head{Step: s, Time: start.Add(d)} }
	l.add(&runner.StatusEvent{Head: at(0, 0), Status: runner.Running})
	if step > 0 {
		l.add(&runner.StepEvent{
			Head: at(step, time.Duration(step)*time.Second), Epoch: float64(step) / 10,
			Values: runner.Values{
				{Name: "loss", Number: runner.Num(1.5)}, {Name: "lambda", Number: runner.Num(.9)},
			},
			ImagesPerSecond: runner.Num(5000),
		})
	}
	return l
}

func TestRemaining(t *testing.T) {
	if d, ok := testLive(0).Remaining(); ok {
		t.Errorf("before the first step %v remain", d)
	}
	l := testLive(25)
	if d, ok := l.Remaining(); !ok || d != 75*time.Second {
		t.Errorf("after 25 of 100 steps in 25 s, %v remain (%v)", d, ok)
	}
	// After a resume the speed is that since the resume.
	l.add(&runner.ResumeEvent{Head: runner.Head{Step: 20, Time: time.Unix(2000, 0)}})
	l.add(&runner.StatusEvent{Head: runner.Head{Step: 20, Time: time.Unix(2000, 0)}, Status: runner.Running})
	l.add(&runner.StepEvent{Head: runner.Head{Step: 30, Time: time.Unix(2020, 0)}})
	if d, ok := l.Remaining(); !ok || d != 140*time.Second {
		t.Errorf("after a resume %v remain (%v)", d, ok)
	}
	l.add(&runner.StatusEvent{Head: runner.Head{Step: 100, Time: time.Unix(3000, 0)}, Status: runner.Done})
	if _, ok := l.Remaining(); ok {
		t.Error("something remains of a run that is done")
	}
}

// TestLineFits: no line is wider than the screen, and what matters stays.
func TestLineFits(t *testing.T) {
	for width := 1; width <= 200; width++ {
		p := &panel{screen: true, width: width, height: 20, runs: []*live{testLive(0), testLive(25), testLive(100)}}
		var out bytes.Buffer
		p.out = cells.NewWriter(&out)
		p.show(false)
		for _, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
			if w := lipgloss.Width(line); w > max(1, width-1) {
				t.Fatalf("%d cells on a screen of %d: %q", w, width, line)
			}
		}
		for piece, from := range map[string]int{
			"epoch   2.5/10": 30, "━": 42, "running": 51, "loss 1.5": 64, "ETA 1:15": 91, "λ 0.9": 119,
		} {
			if shown := strings.Contains(out.String(), piece); shown != (width >= from) {
				t.Errorf("screen of %d: %q is shown: %v\n%s", width, piece, shown, out.String())
			}
		}
		if strings.Contains(out.String(), "\x1b") {
			t.Fatalf("the first frame has an escape sequence: %q", out.String())
		}
	}
}

func TestBlockFitsTheScreen(t *testing.T) {
	p := &panel{screen: true, width: 80, height: 6}
	for i := range 16 {
		l := testLive(int64(i))
		if i > 8 {
			l.Status = runner.Queued
		}
		if i < 8 {
			l.Status = runner.Done
		}
		p.runs = append(p.runs, l)
	}
	got := p.block(false)
	if len(got) != 4 || !strings.Contains(got[0], "running") || got[3] != "… 7 queued, 1 running, 8 done" {
		t.Errorf("block %q", got)
	}
	if got := p.block(true); len(got) != 16 {
		t.Errorf("the last block has %d lines, want all 16", len(got))
	}
}

func TestPanelRedraws(t *testing.T) {
	var out bytes.Buffer
	p := &panel{out: cells.NewWriter(&out), screen: true, width: 80, height: 10,
		runs: []*live{testLive(1), testLive(2)}}
	p.show(false)
	out.Reset()
	p.runs[0].add(&runner.WarningEvent{Head: runner.Head{Step: 3}, Message: "odd\x1b[2J"})
	p.show(true)
	if !strings.HasPrefix(out.String(), "\x1b[2A\r\x1b[Jshape? sfk s1 warning at step 3: odd?[2J\n") {
		t.Errorf("second frame %q", out.String())
	}
	if p.drawn != 0 {
		t.Error("after the last frame something is still to be drawn over")
	}
}

func TestMeter(t *testing.T) {
	var out bytes.Buffer
	m := &meter{out: cells.NewWriter(&out), name: "mnist"}
	for done := int64(0); done <= 1e8; done += 1e6 {
		m.show(done, 1e8)
	}
	m.end()
	if got := strings.Count(out.String(), "\n"); got != 10 ||
		!strings.HasSuffix(out.String(), "mnist: 100.0 MB of 100.0 MB\n") {
		t.Errorf("%d lines, want 10:\n%s", got, out.String())
	}
	m.show(5, 0) // a server that does not say how much
	for width := 1; width < 100; width++ {
		m.width = width
		if w := lipgloss.Width(m.line(3, 7)); w >= width && width > 30 {
			t.Errorf("%d cells on a screen of %d", w, width)
		}
	}
}

func TestParseLosses(t *testing.T) {
	for _, c := range []struct{ text, column, want string }{
		{"1\n2.5\n", "", "[1 2.5]"},
		{"\n# comment\n1e-3\n 2 \n", "", "[0.001 2]"},
		{"loss\n1\n", "", "[1]"},
		{"a,loss\nx,1\ny,2\n", "", "[1 2]"},
		{"a,b\n3,1\n", "a", "[3]"},
		{"a,b\n3,1\n", "2", "[1]"},
		{"3,1\n4,2\n", "2", "[1 2]"},
		{"1\n\"2\"\n", "", "[1 2]"},
	} {
		got, err := parseLosses(strings.NewReader(c.text), c.column)
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("parseLosses(%q, %q) = %v, %v, want %s", c.text, c.column, got, err, c.want)
		}
	}
	for _, c := range []struct{ text, column, want string }{
		{"", "", "no losses"},
		{"loss\n", "", "no losses"},
		{"1\n\n\nx\n", "", "line 4"},
		{"1x\n", "", "line 1"},
		{"1\n+Inf\n", "", "line 2"},
		{"1\n1e999\n", "", "line 2"},
		{"1,2\n", "", "no column \"loss\""},
		{"a,b\n1,2\n", "c", "no column \"c\""},
		{"a,b\n1,2\n", "3", "no column \"3\""},
		{"1,2\n", "0", "no column"},
		{"1\n\"2\n", "", "line 2"},
		{"a,loss\n1,2\n3\n", "", "line 3: wrong number of fields"},
	} {
		_, err := parseLosses(strings.NewReader(c.text), c.column)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("parseLosses(%q, %q): %v, want %q", c.text, c.column, err, c.want)
		}
	}
}

func FuzzParseLosses(f *testing.F) {
	f.Add("1\n2\n", "")
	f.Add("a,loss\n1,2\n", "loss")
	f.Add("\"", "1")
	f.Fuzz(func(t *testing.T, text, column string) {
		losses, err := parseLosses(strings.NewReader(text), column)
		if (err == nil) != (len(losses) > 0) {
			t.Errorf("%d losses, error %v", len(losses), err)
		}
		for _, l := range losses {
			if !(l >= 0) {
				t.Errorf("loss %v got through", l)
			}
		}
	})
}

// TestInternalErrors: a panic is one line for the user, with the stack aside.
func TestInternalErrors(t *testing.T) {
	runs := t.TempDir()
	var errs bytes.Buffer
	code := Main(context.Background(), Env{RunsDir: runs, Stdin: breaking{}, Stdout: io.Discard, Stderr: &errs},
		[]string{"risk", "-", "--uncertainty", "chi2", "--rho", "1"})
	path, told := strings.CutPrefix(errs.String(),
		"drolab: internal error: broken: please report it, with the file ")
	if code != 1 || !told || strings.Count(path, "\n") != 1 || !strings.HasPrefix(path, runs) {
		t.Fatalf("exit %d, %q", code, errs.String())
	}
	text, err := os.ReadFile(strings.TrimSpace(path))
	if err != nil || !strings.Contains(string(text), "breaking") {
		t.Errorf("the stack does not name the place: %v\n%s", err, text)
	}
}

type breaking struct{}

func (breaking) Read([]byte) (int, error) { panic("broken") }

func TestTroublesAreToldOnce(t *testing.T) {
	told := map[string]string{}
	live := []runner.LiveRun{
		{ID: "mine", Trouble: "disk full"}, {ID: "other", Trouble: "disk full"}, {ID: "fine"},
	}
	ids, remedy := []string{"mine", "fine"}, "go on with drolab resume %s"
	if lines := troubles(live, ids, told, remedy); len(lines) != 1 ||
		!strings.Contains(lines[0], "run mine waits: disk full (go on with drolab resume mine)") {
		t.Errorf("told %q", lines)
	}
	if lines := troubles(live, ids, told, remedy); len(lines) != 0 {
		t.Errorf("told again: %q", lines)
	}
	over := []runner.LiveRun{{ID: "mine"}}
	if lines := troubles(over, ids, told, ""); len(lines) != 1 || lines[0] != "run mine goes on" {
		t.Errorf("told when it was over: %q", lines)
	}
	if lines := troubles(live, ids, told, remedy); len(lines) != 1 {
		t.Errorf("a second time is not told: %q", lines)
	}
}

func TestSayingSteersNoTerminal(t *testing.T) {
	var out bytes.Buffer
	a := newApp(Env{Stdout: &out})
	a.say("run %s is %s", "x\x1b[2J", "failed: a\nb\u202e")
	if want := "run x?[2J is failed: a; b?\n"; out.String() != want {
		t.Errorf("said %q, want %q", out.String(), want)
	}
}
