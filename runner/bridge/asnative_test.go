package bridge_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/dro/peertest"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/bridge/pythontest/asnative"
	"drolab/runner/bridge/testdata/zygote"
	"drolab/runner/certificate"
	"drolab/runner/data/source"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// The long form takes minutes, and PyTorch:
//
//	DROLAB_LONG=1 go test -run 'ForLong' -v -timeout 1h ./runner/bridge

// nativeEnv is the environment variable for a drolab that trains one network of its own in a
// folder. The tests choose its kernels by GODEBUG.
const nativeEnv = "DROLAB_TEST_NATIVE"

// pictured returns a spec of drolab's own network, with a method and at least 200 steps.
func pictured(model string, a dro.Algorithm) spec.Spec {
	s := spec.Defaults()
	s.Algorithms, s.Dataset, s.Model, s.Samples = []dro.Algorithm{a}, "shapes", model, 1000
	s.Batch, s.LogEvery, s.Augment, s.ValFraction = 32, 1, false, .2
	s.Epochs, s.ProgramPatience = 12, 600
	// As in the preset shapes: from (1, 0) the first steps are so large that units die.
	s.Rho, s.Lambda, s.Eta, s.Lambda0, s.LR = .2, 2, -1, .1, .005
	if model == "linear" { // a table is more usual for it
		s.Dataset, s.Samples, s.Epochs = "csv:example", 0, 20
	}
	return s
}

// trainPictured is the drolab that nativeEnv asks for. what holds a folder, a model and a method.
func trainPictured(what string) int {
	f := strings.Split(what, "\n")
	r := runsFolder{f[0], ""}
	ids, err := r.queueUp(runner.Means{}, pictured(f[1], dro.Algorithm(f[2])))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	os.WriteFile(filepath.Join(r.dir, "id"), []byte(ids[0]), 0o600)
	return 0
}

// torchJob returns the spec of a run of pythontest/peer/native.py on the networks and samples in a
// folder.
func torchJob(t *testing.T, r runsFolder, s spec.Spec, folder string, words ...string) spec.Spec {
	path, err := filepath.Abs("pythontest/peer/native.py")
	if err != nil {
		t.Fatal(err)
	}
	s.Dataset, s.Samples, s.ValFraction = spec.ProgramData, 0, 0
	s.Model = spec.Program{Path: path, Words: append(words, "folder="+folder)}.String()
	s.SettleProgram("")
	if err := r.approvals.Approve(path); err != nil {
		t.Fatal(err)
	}
	return s
}

// python returns the means with which programs in Python are started here, as users start them.
func python(t *testing.T) runner.Means {
	t.Helper()
	path, err := filepath.Abs("python")
	if err != nil {
		t.Fatal(err)
	}
	return runner.Means{Program: &runner.ProgramMeans{Python: peertest.Python(t, "torch", "numpy"),
		Env: append(os.Environ(), "PYTHONPATH="+path, "OMP_NUM_THREADS=1")}}
}

// torch starts programs in PyTorch.
var torch = zygote.Zygote{Client: "python", Peers: []string{"numpy", "torch"},
	Modules: []string{"drolab.torch", "torch._dynamo", "torch.distributed"}}

// zygoteEnv is the environment variable with the socket of a zygote that this binary stands for.
const zygoteEnv = "DROLAB_TEST_ZYGOTE"

// forked returns the means with which programs in PyTorch start in no time, as forks.
func forked(t *testing.T) runner.Means {
	t.Helper()
	return runner.Means{Program: &runner.ProgramMeans{Python: self(),
		Env: append(os.Environ(), zygoteEnv+"="+torch.Socket(t))}}
}

// written puts drolab's own network of a run, and its samples, into a folder for torchJob.
func written(t *testing.T, s *spec.Spec) (folder string) {
	t.Helper()
	folder = t.TempDir()
	d := must(source.Open(s.Dataset, s.DataOptions("")))(t)
	defer d.Close()
	net := must(train.Native(s, d, 1))(t)
	defer net.Close()
	err := asnative.Write(folder, s, d, net.(train.Parameters).Tensors())
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestAsNativeForLong: over 200 steps, drolab's networks as programs in PyTorch stay as near to
// drolab's own as those stay to themselves with other kernels, linear ones within 1e-4. With the
// same weights, their evaluations and certificates agree within 1e-6.
func TestAsNativeForLong(t *testing.T) {
	testsize.OnlyLong(t, "trains drolab's networks in PyTorch for minutes")
	means := python(t)
	for _, c := range []struct {
		model string
		a     dro.Algorithm
	}{{"linear", dro.SFK}, {"linear", "pgd"}, {"convnet", dro.SFK}, {"alexnet", dro.SFK}} {
		t.Run(c.model+" "+string(c.a), func(t *testing.T) {
			r := newRunsFolder(t)
			s := pictured(c.model, c.a)
			d := must(source.Open(s.Dataset, s.DataOptions("")))(t)
			defer d.Close()
			first := must(train.Native(&s, d, 1))(t)
			defer first.Close()
			folder := t.TempDir()
			write := func(weights []nn.Tensor) {
				if err := asnative.Write(folder, &s, d, weights); err != nil {
					t.Fatal(err)
				}
			}
			own := must(r.queueUp(runner.Means{}, s))(t)[0]
			write(first.(train.Parameters).Tensors())
			theirs := must(r.queueUp(means, torchJob(t, r, s, folder)))(t)[0]

			want := r.log(t, own)
			apart := worst(r.log(t, theirs), want)
			among := map[string]float64{}
			for _, lacks := range []string{"avx512f", "avx2"} {
				for key, by := range worst(otherKernel(t, lacks, c.model, c.a), want) {
					among[key] = max(among[key], by)
				}
			}
			t.Logf("%d steps; from drolab's own: %v; of that with another kernel: %v", len(want),
				apart, among)
			for key, by := range apart {
				if most := max(1e-4, 4*among[key]); by > most { // both grow by chance
					t.Errorf("%s: apart by %.3g, want %.3g", key, by, most)
				}
			}
			last := must(record.Find(r.dir, own))(t)
			state := must(last.Load(-1))(t)
			write(state.Parameters)
			frozen := s
			frozen.Epochs, frozen.LR = 1, 1e-30
			still := must(r.queueUp(means, torchJob(t, r, frozen, folder)))(t)[0]
			measuredAlike(t, r, last, must(record.Find(r.dir, still))(t), means)
		})
	}
}

// worst returns the largest relative difference of each quantity over the steps of two logs.
func worst(a, b map[string]map[string]any) map[string]float64 {
	most := map[string]float64{}
	for at, e := range b {
		for _, key := range []string{"loss", "lambda", "eta"} {
			x, ok := a[at][key].(float64)
			y, has := e[key].(float64)
			if has && !ok {
				most[key] = math.Inf(1)
			}
			if ok && has {
				most[key] = max(most[key], math.Abs(x-y)/max(math.Abs(y), 1e-2))
			}
		}
	}
	return most
}

// otherKernel returns the log of the same run on a processor that lacks a feature.
func otherKernel(t *testing.T, lacks, model string, a dro.Algorithm) map[string]map[string]any {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(self())
	cmd.Env = append(os.Environ(), "GODEBUG=cpu."+lacks+"=off",
		fmt.Sprintf("%s=%s\n%s\n%s", nativeEnv, dir, model, a))
	out, err := cmd.CombinedOutput()
	id, lost := os.ReadFile(filepath.Join(dir, "id"))
	if err = errors.Join(err, lost); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := must(record.Find(dir, string(id)))(t)
	t.Logf("without %s: kernel %s", lacks, run.Meta.Host.Kernel)
	return runsFolder{dir, ""}.log(t, string(id))
}

// measuredAlike fails unless two runs of the same weights have the same evaluation and certificate.
func measuredAlike(t *testing.T, r runsFolder, own, theirs *record.Run, means runner.Means) {
	t.Helper()
	for _, key := range []string{"test_loss", "train_loss", "robust_risk", "train_robust_risk",
		"test_accuracy", "val_loss", "val_robust_risk"} {
		a, b := own.Summary().Named(key).Float(), theirs.Summary().Named(key).Float()
		if !(math.Abs(a-b) <= 1e-6*max(1, math.Abs(a))) {
			t.Errorf("%s of the program = %v, want that of drolab's own network, %v", key, b, a)
		}
	}
	grid := certificate.Grid{Sets: []dro.Set{must(own.Meta.Spec.Set())(t)},
		Radii: []float64{.1, 1}, How: dro.Confidence{Level: .9, Draws: 99, Seed: 1}}
	for _, kv := range means.Program.Env {
		if path, ok := strings.CutPrefix(kv, "PYTHONPATH="); ok {
			t.Setenv("PYTHONPATH", path)
		}
	}
	var lists [2][]certificate.Certificate
	for i, run := range []*record.Run{own, theirs} {
		frozen := must(certificate.Freeze(t.Context(), must(run.Past(-1))(t),
			certificate.Means{Programs: r.approvals}, 1))(t)
		lists[i] = must(frozen.Certify(must(frozen.Pass(runner.SplitTest))(t), grid))(t)
		frozen.Close()
	}
	for i, a := range lists[0] {
		b := lists[1][i]
		for what, pair := range map[string][2]float64{
			"risk":  {a.Risk.Float(), b.Risk.Float()},
			"upper": {a.Upper.Float(), b.Upper.Float()},
			"η":     {a.Eta, b.Eta},
			"λ":     {*a.Lambda, *b.Lambda},
		} {
			if want, got := pair[0], pair[1]; !(math.Abs(want-got) <= 1e-6*max(1, math.Abs(want))) {
				t.Errorf("certificate %d: %s = %v, want %v", i, what, got, want)
			}
		}
	}
}
