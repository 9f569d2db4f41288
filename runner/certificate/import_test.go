package certificate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/eventlog"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// file writes a new file with a text, and returns its path.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "predictions.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, text string, splits ...string) *Predictions {
	t.Helper()
	p, err := ReadPredictions(context.Background(), file(t, text), splits, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// imported imports a table as a run, and returns the run as found on the disk.
func imported(t *testing.T, text string, change func(*Import)) *record.Run {
	t.Helper()
	q := Import{Method: "xgboost", File: "predictions.csv", Spec: spec.Defaults()}
	q.Spec.MinGroup, q.Spec.RiskRadii = 1, []float64{.1, .3}
	if change != nil {
		change(&q)
	}
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m, err := read(t, text).Import(store, q)
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.Find(store.Dir(), m.ID)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// is fails unless a measure of the run's summary has the value want. NaN wants the measure absent.
func is(t *testing.T, r *record.Run, name string, want float64) {
	t.Helper()
	got := r.Summary().Named(name)
	if want != want && !got.Applies() {
		return
	}
	if !(math.Abs(got.Float()-want) <= 1e-9*max(1, want)) {
		t.Errorf("%s is %v, want %v", name, got, want)
	}
}

const four = `label,group,p_a,p_b
a,x,0.9,0.1
a,x,0.6,0.4
b,y,0.7,0.3
b,x,0.2,0.8
`

// The figures agree with a computation by hand. The risks have closed forms: for χ² the mean plus
// √(2ρ variance), as long as no weight is below 0; for CVaR the mean of the largest losses.
func TestFigures(t *testing.T) {
	losses := []float64{-math.Log(.9), -math.Log(.6), -math.Log(.3), -math.Log(.8)}
	mean, variance := 0., 0.
	for _, l := range losses {
		mean += l / 4
	}
	for _, l := range losses {
		variance += (l - mean) * (l - mean) / 4
	}
	r := imported(t, four, func(q *Import) { q.Spec.Rho = .05 })
	is(t, r, "test_accuracy", .75)
	is(t, r, "worst_class_accuracy", .5)
	is(t, r, "worst_group_accuracy", 0)
	is(t, r, "balanced_accuracy", .75)
	is(t, r, "test_loss", mean)
	is(t, r, "robust_risk", mean+math.Sqrt(2*.05*variance))
	at := r.Summary().ByGroup.Named("robust_risk_at")
	if want := mean + math.Sqrt(2*.1*variance); math.Abs(at[0].Float()-want) > 1e-9 {
		t.Errorf("R at .1 is %v, want %v", at[0], want)
	}
	// 0.9, 0.6 and 0.8 are right and 0.7 is wrong, each in a bin of its own
	is(t, r, "calibration_error", (.1+.4+.7+.2)/4)
	for _, name := range []string{"train_loss", "dual_gap", "train_robust_risk", "above_bound",
		"worst_divergence", "effective_sample_size", "full_grad_norm", "val_accuracy"} {
		is(t, r, name, math.NaN())
	}
	r = imported(t, four, func(q *Import) { q.Spec.Uncertainty, q.Spec.Mu = "cvar", .5 })
	is(t, r, "robust_risk", (losses[1]+losses[2])/2)
	got := r.Summary().ByGroup.Named("group_accuracy")
	if got[0].Float() != 1 || got[1].Float() != 0 {
		t.Errorf("groups %v: %v", r.Meta.Groups, got)
	}
}

// An imported run has ended, has one evaluation and no steps, and records what was given and not.
func TestEndedRun(t *testing.T) {
	r := imported(t, "label,prediction\nno,no\nyes,no\nno,no\nyes,yes\n", func(q *Import) {
		q.Method, q.Spec.Seed = "随机 <森林> & co", 7
	})
	h, err := eventlog.ReadHistory(r.Tail(), nil)
	if err != nil || len(h.Evals) != 1 || len(h.Steps) != 0 || r.Status() != runner.Done {
		t.Errorf("%d evaluations, %d steps, %s, %v", len(h.Evals), len(h.Steps), r.Status(), err)
	}
	is(t, r, "test_accuracy", .75)
	for _, name := range []string{"test_loss", "robust_risk", "calibration_error"} {
		is(t, r, name, math.NaN())
	}
	m := &r.Meta
	if m.Spec.Algorithm() != "随机 <森林> & co" || m.Spec.Seed != 7 || !m.Spec.Foreign() ||
		!slices.Equal(m.Imported.Columns, []string{"label", "prediction"}) ||
		!strings.HasPrefix(m.Imported.Checksum, "sha256:") || len(m.Imported.Absent) != 5 {
		t.Errorf("%+v %v", m.Imported, m.Spec.Algorithms)
	}
	past, err := r.Past(-1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := past.Fork(); err == nil || !strings.Contains(err.Error(), "no network") {
		t.Errorf("a fork: %v", err)
	}
}

// Open returns the imported values to the bit, and refuses files that do not fit run.json.
func TestOpen(t *testing.T) {
	text := "label,group,loss,p_0,p_1,split\n"
	for i := range 300 {
		split := []string{"train", "val", "test"}[i%3]
		text += fmt.Sprintf("%d,g%d,%v,%v,%v,%s\n", i%2, i%5, math.Exp(float64(i-150)/7), .25, .75,
			split)
	}
	p, r := read(t, text), imported(t, text, nil)
	state, err := r.Load(-1)
	if err != nil {
		t.Fatal(err)
	}
	for _, split := range runner.Splits() {
		got, err := importedSplit(&r.Meta, state, split)
		want := p.Splits[split]
		if err != nil || !slices.Equal(got.Losses, want.Losses) ||
			!slices.Equal(got.Labels, want.Labels) || !slices.Equal(got.Groups, want.Groups) ||
			!slices.Equal(got.Correct, want.Correct) || !slices.Equal(got.Rows, want.Rows) ||
			!slices.Equal(got.Probabilities, want.Probabilities) || len(got.Losses) != 100 {
			t.Errorf("%s: %v, other predictions than were imported", split, err)
		}
	}
	is(t, r, "train_loss", mean(p.Splits["train"].Losses))
	is(t, r, "val_loss", mean(p.Splits["val"].Losses))
	for i := range state.Parameters {
		for _, wild := range []float32{-1, 1e9, float32(math.NaN())} {
			data := state.Parameters[i].Data
			if strings.HasSuffix(state.Parameters[i].Name, "probability") {
				continue
			}
			before := data[1]
			data[1] = wild
			split, _, _ := strings.Cut(state.Parameters[i].Name, ".")
			got, err := importedSplit(&r.Meta, state, split)
			broken := func(l float64) bool { return !(l >= 0) }
			if err == nil && slices.ContainsFunc(got.Losses, broken) {
				t.Errorf("%s with %v is taken", state.Parameters[i].Name, wild)
			}
			data[1] = before
			state.Parameters[i].Data = data[:len(data)-1]
			if _, err := importedSplit(&r.Meta, state, split); err == nil {
				t.Errorf("%s cut is taken", state.Parameters[i].Name)
			}
			state.Parameters[i].Data = data
		}
	}
	_, err = importedSplit(&r.Meta, state, "\x1b[2J")
	if err == nil || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("an odd split: %v", err)
	}
}

func mean(list []float64) (sum float64) {
	for _, x := range list {
		sum += x / float64(len(list))
	}
	return sum
}

// Every fault of a table is reported in one line that says where it is.
func TestBadTables(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "empty"},
		{"label,prediction\n", "has no samples"},
		{"y,prediction\na,a\n", `no column "label"`},
		{"label,x\na,1\nb,2\n", `no column "prediction", nor columns "p_" with a class`},
		{"label,prediction\na,a\nb,c\n", `row 2, column "prediction": want one of ["a" "b"], not "c"`},
		{"label,prediction\na,a\na,a\n", "1 classes: want 2 to 1000"},
		{"label,p_a,p_b\na,.5,.5\nc,.5,.5\n", `row 2, column "label": want one of ["a" "b"], not "c"`},
		{"label,p_a,p_b\na,.5,.5\nb,.5,.4\n", "row 2, columns p_...: the probabilities sum to 0.9"},
		{"label,p_a,p_b\na,.5,.5\nb,1.5,-.5\n", `row 2, column "p_a": 1.5`},
		{"label,p_a,p_b\na,.5,.5\nb,NaN,.5\n", `line 3, column "p_a": missing value "NaN"`},
		{"label,p_a,p_b\na,.5,.5\nb,inf,.5\n", `line 3, column "p_a": "inf" is not finite`},
		{"label,p_a,p_b\na,.5,.5\nb,x,.5\n", `line 3, column "p_a": "x" is not a number`},
		{"label,p_a,p_b\na,.5,.5\n,.5,.5\n", `line 3, column "label": missing value ""`},
		{"label,prediction,loss\na,a,1\nb,b,-1\n", `row 2, column "loss": -1`},
		{"label,prediction,split\na,a,test\nb,b,other\n",
			`row 2, column "split": want one of ["test" "val" "train"], not "other"`},
		{"label,prediction,split\na,a,val\nb,b,val\n", "no row belongs to the test split"},
		{"label,prediction\na\n", "line 2: 1 columns"},
		{"label,p_\x1b[2J,p_b\nb,.5,-.6\n", `row 1, column "p_b": -0.6`},
		{"label,p_\x1b[2J,p_b\na,.5,.5\n", `row 1, column "label": want one of ["\x1b[2J" "b"]`},
		{"label,prediction\na,a\nb,\x1b]0;x\a\n",
			`row 2, column "prediction": want one of ["a" "b"], not "\x1b]0;x\a"`},
		{"label,prediction\na,\xff\n", "UTF-8"},
		{"label" + strings.Repeat(",p_", 1001) + "\na" + strings.Repeat(",0", 1001) + "\n",
			"1001 classes: want 2 to 1000"},
	} {
		_, err := ReadPredictions(context.Background(), file(t, c.text), nil, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(),
			"\n\x1b\a") {
			t.Errorf("%q: %v, want one line with %q", c.text[:min(len(c.text), 80)], err, c.want)
		}
	}
	path := file(t, four)
	for want, splits := range map[string][]string{
		"add one, or name one":       {"test", "val"},
		"no row belongs to the test": {"val"},
		"predictions are a table":    nil,
	} {
		name := path
		if splits == nil {
			name = "nothing"
		}
		if _, err := ReadPredictions(context.Background(), name, splits, nil); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", splits, err, want)
		}
	}
	for _, other := range []string{path + "?test=x.csv", "csv:" + path + "?oops=1", "shapes",
		"npz:x.npz"} {
		if _, err := ReadPredictions(context.Background(), other, nil, nil); err == nil {
			t.Errorf("%s is read", other)
		}
	}
}

// A table with more rows than a run keeps is refused, with the number of the line.
func TestTooManyRows(t *testing.T) {
	text := "label,prediction\n" + strings.Repeat("a,b\nb,a\n", 1<<19+1)
	_, err := ReadPredictions(context.Background(), file(t, text), nil, nil)
	if err == nil || !strings.Contains(err.Error(), "line 1048578: more than 1048576 rows") {
		t.Error(err)
	}
}

// Labels, predictions and columns may be numbers of classes; names of the data take precedence.
func TestNumbersForNames(t *testing.T) {
	known := &data.Dataset{Classes: []string{"yes", "no"}, Groups: []string{"m", "f"},
		Grouped: true}
	for _, text := range []string{
		"label,group,p_0,p_1\n1,0,.2,.8\n0,1,.2,.8\n",
		"label,group,p_yes,p_no\nno,m,.2,.8\nyes,f,.2,.8\n",
		"label,group,p_no,p_yes\nno,m,.8,.2\nyes,f,.8,.2\n",
		"label,group,prediction\n1,0,1\n0,1,1\n",
	} {
		p, err := ReadPredictions(context.Background(), file(t, text), nil, known)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		s := p.Splits[runner.SplitTest]
		if !slices.Equal(p.Classes, known.Classes) || !slices.Equal(s.Labels, []int{1, 0}) ||
			!slices.Equal(s.Groups, []int{0, 1}) || !slices.Equal(s.Predictions, []int{1, 1}) {
			t.Errorf("%q: %+v %v", text, s, p.Classes)
		}
	}
	p := read(t, "label,p_b,p_a\n0,.9,.1\n1,.9,.1\n") // of its own columns, in their order
	if s := p.Splits["test"]; !slices.Equal(p.Classes, []string{"a", "b"}) ||
		!slices.Equal(s.Labels, []int{1, 0}) || !slices.Equal(s.Correct, []bool{true, false}) {
		t.Errorf("%v %+v", p.Classes, s)
	}
	for _, text := range []string{"label,p_yes,p_no,p_maybe\nno,.2,.8,0\nyes,.2,.8,0\n",
		"label,p_yes\nno,1\nyes,1\n", "label,prediction\n2,1\n0,1\n"} {
		if _, err := ReadPredictions(context.Background(), file(t, text), nil, known); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// A label with the probability 0 has the loss that scikit-learn gives it, and a note.
func TestZeroProbability(t *testing.T) {
	p := read(t, "label,p_a,p_b\na,0,1\nb,0,1\n")
	if got := p.Splits["test"].Losses[0]; got != -math.Log(0x1p-52) || len(p.Notes) != 1 {
		t.Errorf("%v, %q", got, p.Notes)
	}
}

// A run takes the checksum of the data only if the rows agree with the samples one by one.
func TestSameSamples(t *testing.T) {
	d, err := source.Open("csv:example", data.Options{Rows: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	rows := make([]string, d.Test.Len())
	for i := range rows {
		rows[i] = fmt.Sprintf("%s,%s,%s", d.Classes[d.Test.Label(i)], d.Groups[d.Test.Group(i)],
			d.Classes[0])
	}
	table := func(rows []string) string {
		return "label,group,prediction\n" + strings.Join(rows, "\n")
	}
	of := func(q *Import) { q.Preset, q.Data, q.Spec.Dataset = "csv", d, "csv:example" }
	if r := imported(t, table(rows), of); r.Meta.Checksum != d.Checksum {
		t.Errorf("the same samples have checksum %s, want %s", r.Meta.Checksum, d.Checksum)
	}
	swapped := slices.Clone(rows)
	other := slices.IndexFunc(rows, func(row string) bool { return row != rows[0] })
	swapped[0], swapped[other] = rows[other], rows[0]
	for want, rows := range map[string][]string{"row 1 has another": swapped,
		"has 120 samples, and the file 119": rows[1:]} {
		r := imported(t, table(rows), of)
		log, err := os.ReadFile(filepath.Join(r.Dir, "events.jsonl"))
		if r.Meta.Checksum == d.Checksum || err != nil || !strings.Contains(string(log), want) {
			t.Errorf("%s: checksum %s, %v", want, r.Meta.Checksum, err)
		}
	}
	r := imported(t, table(rows), func(q *Import) { of(q); q.Data = nil })
	if !strings.HasPrefix(r.Meta.Checksum, "labels:") {
		t.Errorf("unchecked samples have checksum %s", r.Meta.Checksum)
	}
}

// failing is a recorder whose disk is full once left is used up.
type failing struct {
	runner.Recorder
	left *int
}

var errFull = errors.New("full")

func (f failing) fails() error {
	if *f.left--; *f.left < 0 {
		return errFull
	}
	return nil
}

func (f failing) Append(e runner.Event) error {
	return errors.Join(f.fails(), f.Recorder.Append(e))
}

func (f failing) Checkpoint(s *runner.State) (string, error) {
	file, err := f.Recorder.Checkpoint(s)
	return file, errors.Join(f.fails(), err)
}

func (f failing) Finish(s *runner.Summary) error {
	return errors.Join(f.fails(), f.Recorder.Finish(s))
}

type failingStore struct {
	*record.Store
	left *int
}

func (s failingStore) Add(m *runner.Meta, fill func(runner.Recorder) error) error {
	return s.Store.Add(m, func(r runner.Recorder) error { return fill(failing{r, s.left}) })
}

// A run is stored whole or not at all, wherever the disk fails.
func TestWholeOrNothing(t *testing.T) {
	store, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := read(t, four)
	for n := range 100 {
		left := n
		_, err := p.Import(failingStore{store, &left},
			Import{Method: "tree", Spec: spec.Defaults()})
		entries, _ := os.ReadDir(store.Dir())
		if err == nil {
			if n != 6 || len(entries) != 1 {
				t.Errorf("whole after %d calls, with %v", n, entries)
			}
			return
		}
		if !errors.Is(err, errFull) || len(entries) != 0 {
			t.Fatalf("after %d calls %v is left, %v", n, entries, err)
		}
	}
}

func TestCheckName(t *testing.T) {
	for _, good := range []string{"xgboost", "random forest (500)", "随机森林",
		strings.Repeat("é", 64)} {
		if err := CheckName(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", " x", "a\x1b[2Jb", "a\nb", "\xff", strings.Repeat("é", 65),
		"a\u202eb", string(dro.SFK), "erm"} {
		if err := CheckName(bad); err == nil || strings.ContainsAny(err.Error(), "\x1b\n\u202e") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
