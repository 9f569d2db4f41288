package foreign

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/record"
)

// TestFixtures: every number of logs that the real programs wrote is as their own libraries read
// it. testdata/make.py has written both.
func TestFixtures(t *testing.T) {
	text, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]map[string][]at
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	if len(expected) != 5 {
		t.Fatalf("%d fixtures, want 5", len(expected))
	}
	for kind, want := range expected {
		f := only(t, filepath.Join("testdata", kind))
		if f.Kind() != kind {
			t.Errorf("%s is recognised as %s", kind, f.Kind())
		}
		done, r := imports(t, newStore(t), filepath.Join("testdata", kind), options())
		got := curves(t, r)
		n := 0
		for name, numbers := range want {
			own, err := measure.UserName(name)
			if err != nil {
				t.Fatal(err)
			}
			if got[own] == nil {
				own = name
			}
			if !slices.EqualFunc(got[own], numbers, at.is) {
				t.Errorf("%s: %s is %v, want %v", kind, name, got[own], numbers)
			}
			n += len(got[own])
			delete(got, own)
		}
		if len(got) > 0 {
			t.Errorf("%s: there are %v, which the library does not have", kind, got)
		}
		if n < 12 {
			t.Errorf("%s: %d numbers, want more", kind, n)
		}
		status(t, r, runner.Done)
		s := &done.Meta.Spec
		switch kind {
		case "lightning":
			if s.LR != .1 || s.Batch != 8 || s.Seed != 7 {
				t.Errorf("lr %v, batch %d, seed %d, want 0.1, 8, 7", s.LR, s.Batch, s.Seed)
			}
		case "domainbed":
			if s.Algorithm() != "group (DomainBed)" || s.LR != .001 || s.Seed != 1 {
				t.Errorf("method %s, lr %v, seed %d, want group (DomainBed), 0.001, 1",
					s.Algorithm(), s.LR, s.Seed)
			}
		case "wandb":
			if s.LR != .5 || s.Seed != 4 || s.Epochs != 3 {
				t.Errorf("lr %v, seed %d, epochs %d, want 0.5, 4, 3", s.LR, s.Seed, s.Epochs)
			}
		}
	}
}

// groupDROFiles is a small run of group_DRO. Its training epochs have two windows.
func groupDROFiles() map[string]string {
	head := "epoch,batch"
	for g := range 2 {
		for _, c := range []string{lossColumn, accuracyColumn, countColumn} {
			head += fmt.Sprint(",", c, g)
		}
	}
	head += ",avg_per_sample_loss,avg_acc\n"
	return map[string]string{
		"train.csv": head +
			"0,9,1,0.5,30,2,0.2,10,1.25,0.4\n0,14,2,0.75,20,4,0.1,5,2.5,0.6\n" +
			"1,9,1,1,30,2,0.5,10,1.25,0.9\n1,14,1,1,20,1,1,5,1,1\n",
		"val.csv":  head + "0,1,.5,.9,40,.7,.6,30,.6,.77\n1,1,.4,.95,40,.6,.7,30,.5,.84\n",
		"test.csv": head + "0,3,.5,.8,100,.7,.4,50,.6,.66\n1,3,.4,.9,100,.6,.5,50,.5,.76\n",
	}
}

// TestGroupDRO: groups map one to one, windows are pooled by their counts, and the adjusted mean
// takes its sizes from log.txt, else from counts that do not move.
func TestGroupDRO(t *testing.T) {
	text := "Robust: True\nLr: 0.01\nBatch size: 4\nSeed: 2\nN epochs: 2\n\nTraining Data...\n" +
		"    a: n = 90\n    b: n = 10\nValidation Data...\n    a: n = 40\n    b: n = 30\n" +
		"Test Data...\n    a: n = 100\n    b: n = 50\n\nEpoch [0]:\nb: n = 7\n"
	moved := groupDROFiles()
	moved["train.csv"] = strings.Replace(moved["train.csv"], "1,9,1,1,30", "1,9,1,1,31", 1)
	for _, c := range []struct {
		name  string
		files map[string]string
		log   string
		sizes []float64
	}{
		{"log.txt", groupDROFiles(), text, []float64{90, 10}},
		{"counts", groupDROFiles(), "", []float64{50, 15}},
		{"moved", moved, "", nil},
	} {
		dir := t.TempDir()
		write(t, dir, c.files)
		if c.log != "" {
			write(t, dir, map[string]string{"log.txt": c.log})
		}
		done, r := imports(t, newStore(t), dir, options())
		got := curves(t, r)
		expect(t, got, "worst_group_accuracy", at{15, .4}, at{30, .5})
		expect(t, got, "val_worst_group_accuracy", at{15, .6}, at{30, .7})
		expect(t, got, "test_accuracy", at{15, .66}, at{30, .76})
		expect(t, got, "val_loss", at{15, .6}, at{30, .5})
		expect(t, got, "user.train/acc_group_0", at{15, (30*.5 + 20*.75) / 50}, at{30, 1})
		expect(t, got, "loss", at{15, (40*1.25 + 25*2.5) / 65},
			at{30, (got["loss"][1].Value)})
		if c.sizes == nil {
			if len(got["adjusted_accuracy"]) > 0 {
				t.Errorf("%s: adjusted accuracy %v, want none", c.name, got["adjusted_accuracy"])
			}
			continue
		}
		mean := func(a, b float64) float64 {
			return (c.sizes[0]*a + c.sizes[1]*b) / (c.sizes[0] + c.sizes[1])
		}
		expect(t, got, "adjusted_accuracy", at{15, mean(.8, .4)}, at{30, mean(.9, .5)})
		m := done.Meta
		if c.log != "" && (m.Spec.Algorithm() != "group (group_DRO)" || m.Spec.Seed != 2 ||
			m.Groups[0] != "a" || m.Spec.LR != .01 || m.StepsPerEpoch != 15) {
			t.Errorf("%s: the run is %+v, want what log.txt says", c.name, m.Spec)
		}
		if r.Summary().Epochs != 2 {
			t.Errorf("%s: %v epochs, want 2", c.name, r.Summary().Epochs)
		}
	}
}

// TestPlainLogs: tables and lines with a step or an epoch, with holes, without order, with numbers
// that are none.
func TestPlainLogs(t *testing.T) {
	for name, c := range map[string]struct {
		file, text, kind string
		want             map[string][]at
	}{
		"table": {"a.txt", "step,x,y\n3,1,\n1,2,NaN\n1.5,3,3\n2,inf,tensor\n-1,1,1\n4,5\n", "csv",
			map[string][]at{"user.x": {{1, 2}, {2, inf()}, {3, 1}}, "user.y": {{1, nan()}}}},
		"epochs": {"b.csv", "epoch,val_accuracy\n0,0.5\n1,0.75\n", "csv",
			map[string][]at{"val_accuracy": {{0, .5}, {1, .75}}}},
		"quoted": {"c.csv", "step,\"a,b\"\r\n1,\"2\"\r\n", "csv",
			map[string][]at{"user.a_b": {{1, 2}}}},
		"lines": {"d.log", `{"step": 1, "loss": 2, "in": {"a": true}}` + "\n\nno JSON\n[]\n" +
			`{"step": 2, "loss": NaN, "text": "NaN"}` + "\n" + `{"step": 3, "loss": -Infinity}`,
			"jsonl", map[string][]at{"user.loss": {{1, 2}, {2, nan()}, {3, -inf()}},
				"user.in.a": {{1, 1}}}},
		"cut": {"e.jsonl", `{"step": 1, "x": 2}` + "\n" + `{"step": 2, "x": 3`, "jsonl",
			map[string][]at{"user.x": {{1, 2}}}},
		"domainbed": {"f.jsonl", `{"args": {"algorithm": "ERM", "seed": 3}, "env0_in_acc": 0.5, ` +
			`"epoch": 2.5, "hparams": {"lr": 0.1, "batch_size": 32}, "step": 100}` + "\n",
			"domainbed", map[string][]at{"user.env0_in_acc": {{100, .5}}}},
	} {
		dir := t.TempDir()
		write(t, dir, map[string]string{c.file: c.text})
		path := filepath.Join(dir, c.file)
		if kind := only(t, path).Kind(); kind != c.kind {
			t.Errorf("%s is a log of the kind %s, want %s", name, kind, c.kind)
		}
		done, r := imports(t, newStore(t), path, options())
		got := curves(t, r)
		if len(got) != len(c.want) {
			t.Errorf("%s has %v, want %v", name, got, c.want)
		}
		for curve, want := range c.want {
			expect(t, got, curve, want...)
		}
		if m := done.Meta; name == "domainbed" && (m.Spec.Algorithm() != "erm (DomainBed)" ||
			m.Spec.Batch != 0 || m.StepsPerEpoch != 40 || m.Spec.Seed != 3) {
			t.Errorf("%s: %v, batch %d, %d steps an epoch, seed %d", name, m.Spec.Algorithms,
				m.Spec.Batch, m.StepsPerEpoch, m.Spec.Seed)
		}
	}
}

// TestMapping: the user says what a value is. A share in percent has to be said.
func TestMapping(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"m.csv": "step,acc,g0,g1\n1,50,.25,.5\n2,75,.5,.75\n"})
	o := options()
	o.Map = []string{"acc=test_accuracy/100", "g0=group_accuracy[0]", "g1=group_accuracy[1]"}
	o.Groups = []string{"a", "b"}
	_, r := imports(t, newStore(t), dir, o)
	got := curves(t, r)
	expect(t, got, "test_accuracy", at{1, .5}, at{2, .75})
	if list := r.Summary().ByGroup.Named("group_accuracy"); len(list) != 2 ||
		list[1].Float() != .75 {
		t.Errorf("the groups have %v, want 0.5 and 0.75", list)
	}
	for assignment, want := range map[string]string{
		"acc=test_accuracy":        "use --map 'acc=test_accuracy/100'",
		"acc":                      "expected NAME=MEASURE",
		"acc=nonsense":             "expected a measure",
		"acc=test_loss/100":        "is no share",
		"acc=group_accuracy":       "group_accuracy[0]",
		"acc=group_accuracy[2]":    "from 0 to 1",
		"acc=test_accuracy[0]/100": "not one for each group",
		"none=test_accuracy":       `has no "none"`,
	} {
		o.Map = []string{assignment}
		_, err := only(t, dir).Import(context.Background(), newStore(t), o, &Seeds{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--map %s: %v, want an error with %q", assignment, err, want)
		}
	}
	o.Groups, o.Map = nil, []string{"acc=worst_group_accuracy/100"}
	_, err := only(t, dir).Import(context.Background(), newStore(t), o, &Seeds{})
	if err == nil || !strings.Contains(err.Error(), "--groups") {
		t.Errorf("a measure of groups without groups: %v", err)
	}
}

// TestManyNames: a run logs 64 values; --keep chooses, and names that come to the same stay apart.
func TestManyNames(t *testing.T) {
	head, row := "step,a b,a_b", "1,1,2"
	for i := range 70 {
		head += fmt.Sprintf(",v%d", i)
		row += ",3"
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"m.csv": head + "\n" + row + "\n"})
	done, r := imports(t, newStore(t), dir, options())
	got := curves(t, r)
	if len(got) != measure.MostUser {
		t.Errorf("%d values are logged, want %d", len(got), measure.MostUser)
	}
	expect(t, got, "user.a_b", at{1, 1})
	expect(t, got, "user.a_b_2", at{1, 2})
	notes := strings.Join(done.Meta.Imported.Absent, "; ")
	if !strings.Contains(notes, "8 further") {
		t.Errorf("the notes are %q, want how many values are left out", notes)
	}
	o := options()
	o.Keep = []string{"v6?"}
	_, r = imports(t, newStore(t), dir, o)
	if got := curves(t, r); len(got) != 10 {
		t.Errorf("--keep v6? logs %d values, want 10", len(got))
	}
}

// TestNamesBeyondTheBound: of more names than are kept, those that the user names are.
func TestNamesBeyondTheBound(t *testing.T) {
	var b strings.Builder
	for i := range mostNames + 10 {
		fmt.Fprintf(&b, `{"step": 1, "v%04d": %d}`+"\n", i, i)
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"m.jsonl": b.String()})
	o := options()
	o.Keep, o.Map = []string{"v410[0-3]"}, []string{"v4105=test_loss"}
	done, r := imports(t, newStore(t), dir, o)
	got := curves(t, r)
	expect(t, got, "user.v4100", at{1, 4100})
	expect(t, got, "test_loss", at{1, 4105})
	if notes := strings.Join(done.Meta.Imported.Absent, "; "); len(got) != 5 ||
		!strings.Contains(notes, "names after the first 4096 are left out") {
		t.Errorf("%d values are kept, and the notes are %q, want 5 and that names are left out",
			len(got), notes)
	}
}

// TestTwiceIsOnce: a log that is imported twice is one run, and one that has grown is the same run
// with the rest. Its label stays.
func TestTwiceIsOnce(t *testing.T) {
	dir, store := t.TempDir(), newStore(t)
	write(t, dir, map[string]string{"m.csv": "step,x\n1,1\n"})
	first, r := imports(t, store, dir, options())
	if err := r.Relabel(func(l *record.Label) { l.Note = "kept" }); err != nil {
		t.Fatal(err)
	}
	again, _ := imports(t, store, dir, options())
	if !again.Known || again.Meta.ID != first.Meta.ID {
		t.Errorf("the second import is %+v, want the run %s", again, first.Meta.ID)
	}
	write(t, dir, map[string]string{"m.csv": "step,x\n1,1\n2,2\n"})
	grown, r := imports(t, store, dir, options())
	if !grown.Grown || grown.Meta.ID != first.Meta.ID || r.Label().Note != "kept" {
		t.Errorf("the grown log is %+v with the label %q, want the run %s", grown, r.Label().Note,
			first.Meta.ID)
	}
	expect(t, curves(t, r), "user.x", at{1, 1}, at{2, 2})
	if f := grown.Meta.Imported.Files[0]; f.Size != 15 || len(f.SHA256) != 64 ||
		f.Path != filepath.Join(dir, "m.csv") {
		t.Errorf("the original is %+v, want its path, its 15 bytes and its hash", f)
	}
	moved := t.TempDir()
	write(t, moved, map[string]string{"m.csv": "step,x\n1,1\n2,2\n"})
	if again, _ := imports(t, store, moved, options()); !again.Known {
		t.Error("a copy elsewhere is another run")
	}
	write(t, dir, map[string]string{"m.csv": "step,x\n1,7\n"})
	if other, _ := imports(t, store, dir, options()); other.Meta.ID == first.Meta.ID {
		t.Error("another log at the same path has replaced the run")
	}
	if runs, _ := record.List(store.Dir()); len(runs) != 2 {
		t.Errorf("there are %d runs, want 2", len(runs))
	}
}

// TestNothingOutside: links in a folder are passed over, and a file that is named is read alone.
func TestNothingOutside(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside, map[string]string{"secret.csv": "step,x\n1,1\n", "hparams.yaml": "lr: 9\n"})
	write(t, dir, map[string]string{"m.csv": "step,x,epoch\n1,1,0\n"})
	for link, to := range map[string]string{"link.csv": "secret.csv",
		"hparams.yaml": "hparams.yaml", "folder": ""} {
		if err := os.Symlink(filepath.Join(outside, to), filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	done, _ := imports(t, newStore(t), dir, options())
	if done.Meta.Spec.LR != 0 {
		t.Errorf("lr is %v, want none: hparams.yaml is a link", done.Meta.Spec.LR)
	}
	write(t, outside, map[string]string{"m.csv": "step,x,epoch\n1,1,0\n"})
	done, _ = imports(t, newStore(t), filepath.Join(outside, "m.csv"), options())
	if done.Meta.Spec.LR != 0 {
		t.Errorf("lr is %v, want none: m.csv alone was named", done.Meta.Spec.LR)
	}
	if _, err := Find(context.Background(), []string{t.TempDir()}, ""); err == nil {
		t.Error("an empty folder has a log")
	}
	if _, err := Find(context.Background(), []string{os.DevNull}, ""); err == nil {
		t.Error("a device is a log")
	}
}

// TestSpill: points that do not fit into memory are the same, in the same order.
func TestSpill(t *testing.T) {
	var want, got []Point
	for _, most := range []int{memoryPoints, 7} {
		g := newGather()
		g.most = most
		for i := range int64(100) {
			p := Point{Step: i * 37 % 50, Epoch: float64(i), Name: fmt.Sprint("n", i%3), Group: -1,
				Value: float64(i)}
			if err := g.take(p); err != nil {
				t.Fatal(err)
			}
			if i == 60 {
				if err := g.purge(40, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		got = nil
		if err := g.each(func(p Point) error { got = append(got, p); return nil }); err != nil {
			t.Fatal(err)
		}
		g.close()
		if want == nil {
			want = got
		}
	}
	if !slices.Equal(got, want) || len(got) == 100 || len(got) < 80 {
		t.Errorf("from the disk come %v, want %v", got, want)
	}
}

// TestUnreadable: what may not be read is named by its whole path, alone or as all that a folder
// has.
func TestUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"in/m.csv": "step,x\n1,1\n"})
	path := filepath.Join(dir, "in", "m.csv")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{path, dir} {
		_, err := Find(context.Background(), []string{at}, "")
		if want := "reading " + path + ": permission denied"; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", at, err, want)
		}
	}
	write(t, dir, map[string]string{"other.csv": "step,x\n1,1\n"})
	if found, err := Find(context.Background(), []string{dir}, ""); err != nil || len(found) != 1 {
		t.Errorf("beside a log that can be read: %d logs, %v, want 1", len(found), err)
	}
}
