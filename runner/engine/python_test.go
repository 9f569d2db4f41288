//go:build unix

package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/peertest"
	"drolab/runner"
	"drolab/runner/bridge"
	"drolab/runner/bridge/testdata/zygote"
	"drolab/runner/record"
	"drolab/runner/spec"
)

// torch and trainers start scripts as forks of a process that has imported their modules, which
// takes seconds.
var (
	torch = zygote.Zygote{Client: client, Env: []string{quiet}, Peers: []string{"numpy", "torch"},
		Modules: []string{"torch._dynamo", "torch.distributed.checkpoint.state_dict",
			"torch.distributed.fsdp", "torch.distributed.launcher.api"}}
	trainers = zygote.Zygote{Client: client, Env: []string{quiet}, Peers: strings.Fields(stacks),
		Modules: []string{"torch._dynamo", "lightning.pytorch.callbacks", "transformers",
			"accelerate"}}
)

const (
	client = "../bridge/python"                          // the folder of the package drolab
	quiet  = "PYTHONWARNINGS=ignore::DeprecationWarning" // many scripts count their data by hand
)

// python runs a script in Python with this binary as its drolab, and returns the lines that it
// prints.
func (r runsDir) python(t testing.TB, modules, script string, args ...string) ([]string, error) {
	t.Helper()
	path, err := filepath.Abs(client)
	if err != nil {
		t.Fatal(err)
	}
	words := append([]string{filepath.Join("peer", script), string(r)}, args...)
	env := []string{"DROLAB_COMMAND=" + self(), "PYTHONPATH=" + path,
		"PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1", quiet}
	var out, errs []byte
	switch modules {
	case "numpy torch":
		out, errs, err = torch.Run(t, env, words...)
	case stacks:
		out, errs, err = trainers.Run(t, env, words...)
	default:
		c := exec.Command(peertest.Python(t, strings.Fields(modules)...), words...)
		c.Env = append(os.Environ(), env...)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		out, err = c.Output()
		errs = stderr.Bytes()
	}
	if err != nil {
		err = fmt.Errorf("%w: %s", err, errs)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), err
}

// TestPythonNumbers: with every method, the Python client and the client of these tests send the
// same messages to drolab and receive the same answers.
func TestPythonNumbers(t *testing.T) {
	t.Parallel()
	r := runsDir(t.TempDir())
	methods := dro.Algorithms()
	methods = slices.DeleteFunc(methods, func(a dro.Algorithm) bool { return unusable[a] != "" })
	words := make([]string, len(methods))
	for i, a := range methods {
		words[i] = string(a)
	}
	ids, err := r.python(t, "numpy", "table.py", words...)
	if err != nil {
		t.Fatal(err)
	}
	if len(ids) != len(methods) {
		t.Fatalf("table.py trains the runs %q, want one for each of %v", ids, methods)
	}
	for i, a := range methods {
		wantLog(t, string(a), r.log(t, ids[i]), r.log(t, r.table(t, a)), 0, 14)
	}
}

// table does what peer/table.py does.
func (r runsDir) table(t *testing.T, a dro.Algorithm) string {
	t.Helper()
	told, tells := pipe(t)
	said, says := pipe(t)
	ended := make(chan error, 1)
	go func() { ended <- r.serve(context.Background(), told, says) }()
	s := &script{Conn: bridge.NewConn(said, tells), trouble: func(int) {}}
	must := func(_ []bridge.Array, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	three := func(x any) map[string]any { return map[string]any{"train": x, "val": x, "test": x} }
	settings := map[string]any{"method": a, "batch": 16, "log_every": 1, "select": "val_worst",
		"epochs": 2}
	if a == "jtt" {
		settings["jtt_epochs"] = 1
	}
	must(s.ask(map[string]any{"do": "start", "version": 2, "name": "table", "restart": true,
		"settings": settings, "samples": three(96), "class_counts": three([]int{48, 48}),
		"group_counts": three([]int{32, 32, 32}), "classes": []string{"0", "1"},
		"groups": []string{"0", "1", "2"}}))
	samples := func(step int, index []int) []bridge.Array {
		losses, labels, groups := make([]float64, len(index)), make([]int, len(index)),
			make([]int, len(index))
		for j, i := range index {
			losses[j], labels[j], groups[j] = float64((step*37+i*101)%256)/64, i%2, i%3
		}
		return []bridge.Array{bridge.Floats(losses), bridge.Ints(labels), bridge.Ints(groups),
			bridge.Ints(index)}
	}
	for step := range 12 {
		index, other := make([]int, 16), make([]int, 16)
		for j := range index {
			index[j] = (j*5 + step*7) % 96
			other[j] = index[j] * 3 % 96
		}
		got, err := s.ask(message("weights", "", "losses", "label", "group", "index"),
			samples(step, index)...)
		must(got, err)
		w := make([]float64, 16)
		if err := got[0].Floats(w); err != nil {
			t.Fatal(err)
		}
		m, arrays := message("step", ""), []bridge.Array{bridge.Floats([]float64{.5, pairwise(w)})}
		if s.hear.Fresh {
			m["fresh"] = []string{"losses", "label", "group", "index"}
			arrays = append(arrays, samples(step+1, other)...)
		}
		must(nil, s.tell(m, arrays...))
		if step%6 < 5 {
			continue
		}
		all, right, sure := make([]int, 96), make([]int, 96), make([]float64, 96)
		for i := range all {
			all[i] = i
		}
		pass := samples(step, all)
		losses := make([]float64, 96)
		sum := 0.
		if err := pass[0].Floats(losses); err != nil {
			t.Fatal(err)
		}
		for i, l := range losses {
			if sum += l; l > 0 && l < 2 {
				right[i] = 1
			}
			sure[i] = 1
		}
		seen := make([]int, 96) // the class to which table.py gives its probability
		for i := range seen {
			if right[i]*(i%2) == i%2 {
				seen[i] = 1
			}
		}
		must(s.ask(message("evaluate", "test", "losses", "label", "group", "correct", "confidence"),
			pass[0], pass[1], pass[2], bridge.Ints(seen), bridge.Floats(sure)))
		must(s.ask(message("evaluate", "val", "losses", "label", "group", "correct"), pass[0],
			pass[1], pass[2], bridge.Ints(right)))
		must(s.ask(message("epoch", "", "losses", "label", "group", "correct"), pass[0], pass[1],
			pass[2], bridge.Ints(right)))
		must(nil, s.tell(map[string]any{"do": "log", "names": []string{"sum", "nothing"}},
			bridge.Floats([]float64{sum, math.NaN()})))
	}
	must(s.ask(map[string]any{"do": "end", "status": "done"}))
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	run, err := record.Find(string(r), "latest")
	if err != nil {
		t.Fatal(err)
	}
	return run.Meta.ID
}

// TestPythonWrong: a mistake in a script gives one line, and its run has the right status.
func TestPythonWrong(t *testing.T) { wrongScript(t, "numpy", "wrong.py") }

// TestFormsWrong: so does a mistake in a script whose weights are computed by forms.
func TestFormsWrong(t *testing.T) { wrongScript(t, "numpy torch", "torch_wrong.py") }

func wrongScript(t *testing.T, modules, script string) {
	t.Parallel()
	r := runsDir(t.TempDir())
	lines, err := r.python(t, modules, script)
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for _, line := range lines {
		words := strings.Fields(line)
		if words[0] != "run" {
			continue
		}
		runs++
		run, err := record.Find(string(r), words[1])
		if err != nil {
			t.Fatal(err)
		}
		wantStatus(t, line, run, runner.Status(words[2]))
		if words[2] != "failed" {
			continue
		}
		cause := run.Summary().Cause
		if cause == "" {
			t.Errorf("%s: the run has failed without a cause", line)
		}
		wantLine(t, line, cause)
	}
	if runs < 12 {
		t.Errorf("%d runs, want 12 or more: %q", runs, lines)
	}
}

// TestWeightsOfForms: a run whose weights are computed by a form has the numbers of one whose
// weights are drolab's. So has a run on a device apart, where nothing of a step is waited for
// before the next forward pass: peer/weights.py checks that, and the bits of the parameters.
func TestWeightsOfForms(t *testing.T) {
	t.Parallel()
	r := runsDir(t.TempDir())
	methods := []string{"erm", "sfk", "pgd", "pan", "group", "reweight", "tilted", "scent",
		"scdro", "sfk-auto"}
	lines, err := r.python(t, "numpy torch", "weights.py", methods...)
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != len(methods) {
		t.Fatalf("weights.py prints %q, want a line for each of %v", lines, methods)
	}
	for i, line := range lines {
		ids := strings.Fields(line)
		if len(ids) != 3 {
			t.Fatalf("%s: weights.py prints %q, want three runs", methods[i], line)
		}
		want := r.log(t, ids[0])
		for _, id := range ids[1:] {
			wantLog(t, methods[i], r.log(t, id), want, 0, 20)
		}
		for k, want := range []string{spec.OnHost, spec.OnDevice, spec.OnDevice} {
			run, err := record.Find(string(r), ids[k])
			if err != nil {
				t.Fatal(err)
			}
			if got := run.Meta.Spec.Weights; got != want {
				t.Errorf("%s: run %s has weights = %s, want %s", methods[i], ids[k], got, want)
			}
		}
	}
}

// TestTorch: a script in PyTorch that is killed and resumed comes to the same bits as without the
// kill, and the example learns.
func TestTorch(t *testing.T) {
	t.Parallel()
	r := runsDir(t.TempDir())
	ids, err := r.python(t, "numpy torch", "torch_script.py")
	if err != nil {
		t.Fatal(err)
	}
	if len(ids) != 3 {
		t.Fatalf("torch_script.py trains the runs %q, want three", ids)
	}
	example, err := record.Find(string(r), ids[2])
	if err != nil {
		t.Fatal(err)
	}
	wantLearned(t, example)
	wantLog(t, "the run that was resumed", r.log(t, ids[1]), r.log(t, ids[0]), 0, 15)
}

// wantLearned fails unless the example's run is done and has learned something.
func wantLearned(t *testing.T, run *record.Run) {
	t.Helper()
	wantStatus(t, "the example", run, runner.Done)
	s := run.Summary()
	if got := s.Named("worst_group_accuracy").Float(); !(got > .5) {
		t.Errorf("the example has the worst_group_accuracy %v, want more than .5", got)
	}
	if !s.Named("train_loss").Applies() {
		t.Error("the example has no train_loss")
	}
}

// pairwise returns the mean of 16 numbers as NumPy adds them: in eight sums side by side.
func pairwise(w []float64) float64 {
	var r [8]float64
	for i, x := range w {
		r[i%8] += x
	}
	return (((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))) / float64(len(w))
}
