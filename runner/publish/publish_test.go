package publish

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/dro/peertest"
	"drolab/dro/testsize"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/record/recordtest"
	"drolab/runner/spec"
)

// npy writes an array as numpy.save does.
func npy(t *testing.T, path, kind string, shape []int, values []byte) {
	t.Helper()
	sides := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ", "), "[]")
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s,)}", kind, sides)
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
	if err := os.WriteFile(path, append(append(b, header...), values...), 0o666); err != nil {
		t.Fatal(err)
	}
}

// arrays writes n samples of noise with a bright corner that tells the class into a folder. It
// returns the name of the dataset and the path of the features.
func arrays(t *testing.T, dir string, n int, shape ...int) (dataset, x string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	per := 1
	for _, s := range shape {
		per *= s
	}
	var values, labels []byte
	for i := range n {
		for k := range per {
			v := float32(rng.NormFloat64())
			if k < 3 {
				v += float32(i%3) * 2
			}
			values = binary.LittleEndian.AppendUint32(values, math.Float32bits(v))
		}
		labels = append(labels, byte(i%3))
	}
	x = filepath.Join(dir, "x.npy")
	npy(t, x, "<f4", append([]int{n}, shape...), values)
	npy(t, filepath.Join(dir, "y.npy"), "|u1", []int{n}, labels)
	return "npy:" + x + "?y=y.npy&test_fraction=.4&scale=standard", x
}

// trained runs a spec to its end and opens the newest checkpoint.
func trained(t *testing.T, s spec.Spec) *Run {
	t.Helper()
	run := recordtest.Train(t, s)
	saved, _, err := run.Saved()
	if err != nil {
		t.Fatal(err)
	}
	state, err := run.Load(saved.Step)
	if err != nil {
		t.Fatal(err)
	}
	return &Run{Run: run, State: state, Encoder: run.Meta.Encoder}
}

func small(dataset, model string) spec.Spec {
	s := spec.Defaults()
	s.Algorithms = []dro.Algorithm{dro.SFK}
	s.Dataset, s.Model, s.Augment, s.Batch, s.Epochs, s.LogEvery = dataset, model, false, 16, 2, 1
	return s
}

// write exports a run into a file or folder.
func write(t *testing.T, r *Run, format, path string) {
	t.Helper()
	f, err := Find(format)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(r, path); err != nil {
		t.Fatal(err)
	}
}

// samples writes the network's outputs on the test split, as `drolab eval --out` does.
func samples(t *testing.T, r *Run, path string) {
	t.Helper()
	d, err := r.Meta.OpenFor(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s, err := certificate.Inspect(&r.Meta, r.State, d, runner.SplitTest,
		certificate.Inspection{Threads: 2, Probabilities: true})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := csv.NewWriter(f)
	head := []string{"row", "label", "prediction", "loss"}
	for _, c := range d.Classes {
		head = append(head, "p_"+c)
	}
	out.Write(head)
	for i := range s.Rows {
		row := []string{strconv.Itoa(s.Rows[i]), d.Classes[s.Labels[i]],
			d.Classes[s.Predictions[i]], strconv.FormatFloat(s.Losses[i], 'g', -1, 64)}
		for _, p := range s.Of(i) {
			row = append(row, strconv.FormatFloat(float64(p), 'g', -1, 32))
		}
		out.Write(row)
	}
	out.Flush()
}

// check runs peer/check.py, and skips the test where Python lacks a module.
func check(t *testing.T, module string, args ...string) {
	t.Helper()
	t.Logf("%s", peertest.Run(t, "numpy "+module, filepath.Join("peer", "check.py"), args...))
}

// Every model gives the same outputs on the test split in PyTorch and ONNX as here. The large
// models have no kinds of layers of their own, so only a peer can find a fault in them. With -short
// there is no peer, and only the smallest model is written.
func TestNetworks(t *testing.T) {
	all := t.TempDir()
	var python, onnx []string // of the peer, which starts slowly: model, inputs, outputs here, ...
	for _, model := range testsize.Few(1, "linear", "mlp", "convnet", "resnet8", "alexnet",
		"resnet18") {
		t.Run(model, func(t *testing.T) {
			if model == "alexnet" || model == "resnet18" {
				peertest.Python(t, "numpy", "torch", "onnxruntime")
			}
			dir := filepath.Join(all, model)
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			dataset, x := arrays(t, dir, 30, 3, 32, 32) // 12 of them are the test split
			if model == "linear" {
				dataset, x = arrays(t, dir, 30, 7)
			}
			s := small(dataset, model)
			s.Activation, s.Dropout, s.Epochs = "gelu", .1, 1 // two are for mlp
			r := trained(t, s)
			at := func(name string) string { return filepath.Join(dir, name) }
			samples(t, r, at("samples.csv"))
			write(t, r, "python", at("model.py"))
			write(t, r, "onnx", at("model.onnx"))
			python = append(python, at("model.py"), x, at("samples.csv"))
			onnx = append(onnx, at("model.onnx"), x, at("samples.csv"))
		})
	}
	t.Run("python", func(t *testing.T) {
		check(t, "torch", append([]string{"torch"}, python...)...)
	})
	t.Run("onnx", func(t *testing.T) {
		check(t, "onnxruntime", append([]string{"onnx"}, onnx...)...)
	})
}

// TensorBoard lists the curves, and their last values are those of the summary.
func TestTensorBoard(t *testing.T) {
	peertest.Python(t, "numpy", "tensorboard") // else nobody reads the files
	r, dir := trained(t, small("csv:example", "linear")), t.TempDir()
	write(t, r, "tensorboard", filepath.Join(dir, "logs"))
	write(t, r, "csv", filepath.Join(dir, "csv"))
	check(t, "tensorboard", "events", filepath.Join(dir, "logs"),
		filepath.Join(dir, "csv", "summary.csv"))
}

// The records of an event file are framed with correct checksums.
func TestEventFile(t *testing.T) {
	r, dir := trained(t, small("csv:example", "linear")), t.TempDir()
	write(t, r, "tensorboard", dir)
	files, _ := filepath.Glob(filepath.Join(dir, "events.out.tfevents.*"))
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	steps, evals, err := r.events()
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for ; len(b) > 0; records++ {
		n := binary.LittleEndian.Uint64(b)
		if maskedChecksum(b[:8]) != binary.LittleEndian.Uint32(b[8:]) ||
			maskedChecksum(b[12:12+n]) != binary.LittleEndian.Uint32(b[12+n:]) {
			t.Fatalf("record %d has another checksum", records)
		}
		b = b[16+n:]
	}
	if len(steps) == 0 {
		t.Fatal("the run has logged no steps")
	}
	if want := 1 + len(steps) + len(evals); records != want {
		t.Errorf("the file has %d records, want %d", records, want)
	}
}

// Tables are balanced LaTeX, figures are well-formed SVG, and no file is overwritten.
func TestPaper(t *testing.T) {
	r, dir := trained(t, small("csv:example", "linear")), t.TempDir()
	text := func(format string) string {
		path := filepath.Join(dir, format)
		write(t, r, format, path)
		f, _ := Find(format)
		if err := f.Write(r, path); !errors.Is(err, os.ErrExist) {
			t.Errorf("%s: a second time gives %v", format, err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	latex := text("latex")
	for line := range strings.SplitSeq(latex, "\n") {
		if n := strings.Count(line, " & "); n > 0 &&
			(n != 1 && n != 4 || !strings.HasSuffix(line, ` \\`)) {
			t.Errorf("line %q", line)
		}
	}
	for _, word := range []string{`\begin{tabular}{lr}`, `\toprule`, `minority & `,
		`95 \% interval`} {
		if !strings.Contains(latex, word) {
			t.Errorf("no %q in %s", word, latex)
		}
	}
	svg := text("svg")
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	pgf := text("pgfplots")
	if n := strings.Count(pgf, `\begin{axis}`); n < 4 {
		t.Errorf("pgfplots has %d axes, want 4 or more: %s", n, pgf)
	}
	if opened, closed := strings.Count(pgf, "{"), strings.Count(pgf, "}"); opened != closed {
		t.Errorf("pgfplots opens %d braces and closes %d: %s", opened, closed, pgf)
	}
	if got, want := strings.Count(pgf, `\addplot`), strings.Count(svg, "<polyline"); got != want {
		t.Errorf("pgfplots has %d curves, want %d, as SVG: %s", got, want, pgf)
	}
}

// Curves and figures in CSV have the values of the log.
func TestCSVReadsBack(t *testing.T) {
	r, dir := trained(t, small("csv:example", "linear")), t.TempDir()
	write(t, r, "csv", dir)
	read := func(name string) [][]string {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	steps, _, err := r.events()
	if err != nil {
		t.Fatal(err)
	}
	curves := read("curves.csv")
	at := slices.Index(curves[0], "loss")
	for i, s := range steps {
		if v, err := strconv.ParseFloat(curves[i+1][at], 64); err != nil ||
			v != s.Named("loss").Float() {
			t.Errorf("step %d: loss %v, want %v", s.Step, curves[i+1][at], s.Named("loss"))
		}
	}
	found := false
	for _, row := range read("summary.csv") {
		if row[0] == "test_accuracy" {
			v, err := strconv.ParseFloat(row[2], 64)
			found = err == nil && v == r.Summary().Named("test_accuracy").Float()
		}
	}
	if !found {
		t.Error("the summary's test accuracy is not that of the run")
	}
}

// TestNewKindOfLayer: a network with an unknown kind of layer is refused, not written incompletely.
func TestNewKindOfLayer(t *testing.T) {
	known := []nn.Layer{{Name: "conv1", Kind: "conv"}, {Name: "linear2", Kind: "linear"}}
	if err := checkLayers(known); err != nil {
		t.Error(err)
	}
	err := checkLayers(append(known, nn.Layer{Name: "scale3", Kind: "scale"}))
	if err == nil || !strings.Contains(err.Error(), "scale3 is of kind scale") {
		t.Errorf("error %v", err)
	}
}
