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
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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

// is expects a measure of the run's summary to have the value want. NaN wants the measure absent.
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
		t.Errorf("robust_risk_at 0.1 is %v, want %v", at[0], want)
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
	if want := []measure.Number{measure.Num(1), measure.Num(0)}; !slices.Equal(got, want) {
		t.Errorf("group_accuracy of %v is %v, want %v", r.Meta.Groups, got, want)
	}
}

// An imported run has ended, has one evaluation and no steps, and records what was given and not.
func TestEndedRun(t *testing.T) {
	r := imported(t, "label,prediction\nno,no\nyes,no\nno,no\nyes,yes\n", func(q *Import) {
		q.Method, q.Spec.Seed = "随机 <森林> & co", 7
	})
	h, err := eventlog.ReadHistory(r.Tail(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(h.Evals); n != 1 {
		t.Errorf("the log has %d evaluations, want 1", n)
	}
	if n := len(h.Steps); n != 0 {
		t.Errorf("the log has %d steps, want none", n)
	}
	if got := r.Status(); got != runner.Done {
		t.Errorf("the run is %s, want %s", got, runner.Done)
	}
	is(t, r, "test_accuracy", .75)
	for _, name := range []string{"test_loss", "robust_risk", "calibration_error"} {
		is(t, r, name, math.NaN())
	}
	m := &r.Meta
	if got, want := m.Spec.Algorithm(), dro.Algorithm("随机 <森林> & co"); got != want {
		t.Errorf("the method is %q, want %q", got, want)
	}
	if m.Spec.Seed != 7 {
		t.Errorf("the seed is %d, want 7", m.Spec.Seed)
	}
	if !m.Spec.Foreign() {
		t.Error("Foreign() of the imported run's Spec = false, want true")
	}
	if want := []string{"label", "prediction"}; !slices.Equal(m.Imported.Columns, want) {
		t.Errorf("the columns are %q, want %q", m.Imported.Columns, want)
	}
	if got := m.Imported.Checksum; !strings.HasPrefix(got, "sha256:") {
		t.Errorf("the checksum of the table is %q, want one that begins with sha256:", got)
	}
	if n := len(m.Imported.Absent); n != 5 {
		t.Errorf("%d things are recorded as absent, want 5: %q", n, m.Imported.Absent)
	}
	past, err := r.Past(-1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := past.Fork(); err == nil || !strings.Contains(err.Error(), "no network") {
		t.Errorf("Fork() of an imported run = %v, want an error with %q", err, "no network")
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
		if err != nil {
			t.Fatalf("%s: %v", split, err)
		}
		if n := len(got.Losses); n != 100 {
			t.Errorf("%s: %d losses, want 100", split, n)
		}
		// The checkpoint holds no confidences, which are among the probabilities.
		diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(measure.Pass{}),
			cmpopts.IgnoreFields(measure.Pass{}, "Confidences"), cmpopts.EquateEmpty())
		if diff != "" {
			t.Errorf("%s: the predictions differ (-imported +read):\n%s", split, diff)
		}
	}
	is(t, r, "train_loss", mean(p.Splits["train"].Losses))
	is(t, r, "val_loss", mean(p.Splits["val"].Losses))
	for i := range state.Parameters {
		for _, wrong := range []float32{-1, 1e9, float32(math.NaN())} {
			data := state.Parameters[i].Data
			if strings.HasSuffix(state.Parameters[i].Name, "probability") {
				continue
			}
			before := data[1]
			data[1] = wrong
			split, _, _ := strings.Cut(state.Parameters[i].Name, ".")
			got, err := importedSplit(&r.Meta, state, split)
			broken := func(l float64) bool { return !(l >= 0) }
			if err == nil && slices.ContainsFunc(got.Losses, broken) {
				t.Errorf("%s with %v is taken", state.Parameters[i].Name, wrong)
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
		t.Errorf("the error of a split with control characters is %v, want one without them", err)
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
		{"label,prediction\na,a\nb,c\n", `row 2, column "prediction": expected one of ["a" "b"], not "c"`},
		{"label,prediction\na,a\na,a\n", "1 classes: expected 2 to 1000"},
		{"label,p_a,p_b\na,.5,.5\nc,.5,.5\n", `row 2, column "label": expected one of ["a" "b"], not "c"`},
		{"label,p_a,p_b\na,.5,.5\nb,.5,.4\n", "row 2, columns p_...: the probabilities sum to 0.9"},
		{"label,p_a,p_b\na,.5,.5\nb,1.5,-.5\n", `row 2, column "p_a": 1.5`},
		{"label,p_a,p_b\na,.5,.5\nb,NaN,.5\n", `line 3, column "p_a": missing value "NaN"`},
		{"label,p_a,p_b\na,.5,.5\nb,inf,.5\n", `line 3, column "p_a": "inf" is not finite`},
		{"label,p_a,p_b\na,.5,.5\nb,x,.5\n", `line 3, column "p_a": "x" is not a number`},
		{"label,p_a,p_b\na,.5,.5\n,.5,.5\n", `line 3, column "label": missing value ""`},
		{"label,prediction,loss\na,a,1\nb,b,-1\n", `row 2, column "loss": -1`},
		{"label,prediction,split\na,a,test\nb,b,other\n",
			`row 2, column "split": expected one of ["test" "val" "train"], not "other"`},
		{"label,prediction,split\na,a,val\nb,b,val\n", "no row belongs to the test split"},
		{"label,prediction\na\n", "line 2: 1 columns"},
		{"label,p_\x1b[2J,p_b\nb,.5,-.6\n", `row 1, column "p_b": -0.6`},
		{"label,p_\x1b[2J,p_b\na,.5,.5\n", `row 1, column "label": expected one of ["\x1b[2J" "b"]`},
		{"label,prediction\na,a\nb,\x1b]0;x\a\n",
			`row 2, column "prediction": expected one of ["a" "b"], not "\x1b]0;x\a"`},
		{"label,prediction\na,\xff\n", "UTF-8"},
		{"label" + strings.Repeat(",p_", 1001) + "\na" + strings.Repeat(",0", 1001) + "\n",
			"1001 classes: expected 2 to 1000"},
	} {
		_, err := ReadPredictions(context.Background(), file(t, c.text), nil, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("ReadPredictions(%.80q) = %v, want an error with %q", c.text, err, c.want)
			continue
		}
		if strings.ContainsAny(err.Error(), "\n\x1b\a") {
			t.Errorf("ReadPredictions(%.80q) = %q, want one line without control characters",
				c.text, err)
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
			t.Errorf("ReadPredictions(%s, %q) = %v, want an error with %q", name, splits, err,
				want)
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
	testsize.NotShort(t, "reads a million rows, and TestBadTables few")
	text := "label,prediction\n" + strings.Repeat("a,b\nb,a\n", 1<<19+1)
	_, err := ReadPredictions(context.Background(), file(t, text), nil, nil)
	if err == nil || !strings.Contains(err.Error(), "line 1048578: more than 1048576 rows") {
		t.Errorf("ReadPredictions() of 1048578 lines = %v, want an error with the line", err)
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
		if !slices.Equal(p.Classes, known.Classes) {
			t.Errorf("%q: the classes are %q, want %q", text, p.Classes, known.Classes)
		}
		s := p.Splits[runner.SplitTest]
		expectList(t, text, "labels", s.Labels, 1, 0)
		expectList(t, text, "groups", s.Groups, 0, 1)
		expectList(t, text, "predictions", s.Predictions, 1, 1)
	}
	text := "label,p_b,p_a\n0,.9,.1\n1,.9,.1\n" // of its own columns, in their order
	p := read(t, text)
	if want := []string{"a", "b"}; !slices.Equal(p.Classes, want) {
		t.Errorf("%q: the classes are %q, want %q", text, p.Classes, want)
	}
	s := p.Splits["test"]
	expectList(t, text, "labels", s.Labels, 1, 0)
	expectList(t, text, "samples that are right", s.Correct, true, false)
	for _, text := range []string{"label,p_yes,p_no,p_maybe\nno,.2,.8,0\nyes,.2,.8,0\n",
		"label,p_yes\nno,1\nyes,1\n", "label,prediction\n2,1\n0,1\n"} {
		if _, err := ReadPredictions(context.Background(), file(t, text), nil, known); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// expectList expects a list that is read from a table.
func expectList[T comparable](t *testing.T, text, what string, got []T, want ...T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%q: the %s are %v, want %v", text, what, got, want)
	}
}

// A label with the probability 0 has the loss that scikit-learn gives it, and a note.
func TestZeroProbability(t *testing.T) {
	p := read(t, "label,p_a,p_b\na,0,1\nb,0,1\n")
	if got, want := p.Splits["test"].Losses[0], -math.Log(0x1p-52); got != want {
		t.Errorf("the loss of a label with the probability 0 is %v, want %v", got, want)
	}
	if n := len(p.Notes); n != 1 {
		t.Errorf("%d notes, want 1: %q", n, p.Notes)
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
		if err != nil {
			t.Fatal(err)
		}
		if r.Meta.Checksum == d.Checksum {
			t.Errorf("other samples (%s) have the checksum of the data, %s", want, d.Checksum)
		}
		if !strings.Contains(string(log), want) {
			t.Errorf("the log is\n%s\nwant a warning with %q", log, want)
		}
	}
	r := imported(t, table(rows), func(q *Import) { of(q); q.Data = nil })
	if !strings.HasPrefix(r.Meta.Checksum, "labels:") {
		t.Errorf("unchecked samples have checksum %s", r.Meta.Checksum)
	}
}

// failingRecorder is a recorder whose disk is full once left is used up.
type failingRecorder struct {
	runner.Recorder
	left *int
}

var errFull = errors.New("full")

func (f failingRecorder) fails() error {
	if *f.left--; *f.left < 0 {
		return errFull
	}
	return nil
}

func (f failingRecorder) Append(e runner.Event) error {
	return errors.Join(f.fails(), f.Recorder.Append(e))
}

func (f failingRecorder) Checkpoint(s *runner.State) (string, error) {
	file, err := f.Recorder.Checkpoint(s)
	return file, errors.Join(f.fails(), err)
}

func (f failingRecorder) Finish(s *runner.Summary) error {
	return errors.Join(f.fails(), f.Recorder.Finish(s))
}

type failingStore struct {
	*record.Store
	left *int
}

func (s failingStore) Add(m *runner.Meta, fill func(runner.Recorder) error) error {
	return s.Store.Add(m, func(r runner.Recorder) error { return fill(failingRecorder{r, s.left}) })
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
			if n != 6 {
				t.Errorf("the run is stored with room for %d calls, want 6", n)
			}
			if len(entries) != 1 {
				t.Errorf("the store has %v, want the run alone", entries)
			}
			return
		}
		if !errors.Is(err, errFull) {
			t.Fatalf("Import() with room for %d calls = %v, want %v", n, err, errFull)
		}
		if len(entries) != 0 {
			t.Fatalf("after an import that fails at call %d the store has %v, want nothing", n,
				entries)
		}
	}
}

func TestCheckName(t *testing.T) {
	for _, good := range []string{"xgboost", "random forest (500)", "随机森林",
		strings.Repeat("é", 64)} {
		if err := CheckName(good); err != nil {
			t.Errorf("CheckName(%q) = %v, want nil", good, err)
		}
	}
	for _, bad := range []string{"", " x", "a\x1b[2Jb", "a\nb", "\xff", strings.Repeat("é", 65),
		"a\u202eb", string(dro.SFK), "erm"} {
		err := CheckName(bad)
		if err == nil {
			t.Errorf("CheckName(%q) = nil, want an error", bad)
			continue
		}
		if strings.ContainsAny(err.Error(), "\x1b\n\u202e") {
			t.Errorf("CheckName(%q) = %q, want an error without control characters", bad, err)
		}
	}
}
