// Package publish writes runs in the formats of other programs: a checkpoint's network for PyTorch
// and ONNX, curves for TensorBoard, tables and figures for a paper.
//
//	record.Run, a checkpoint ──> Run ──> Format.Write ──> a file or a folder
//
// It trains nothing and shows nothing; runner/page has the formats of tables. A format is a
// Format in a file of its own that has a line in Formats.
//
// # Files
//
//	publish.go      the list of formats (drolab export --to); a run, its network and events for
//	                them
//	python.go       python: one file with network and weights for PyTorch; its frame is network.py
//	onnx.go         onnx: the network with its normalisation
//	proto.go        the encoding of Protocol Buffers, for ONNX and TensorBoard
//	csv.go          csv: curves.csv, evaluations.csv and summary.csv
//	tensorboard.go  tensorboard: event files
//	latex.go        latex: tables of figures and by class or group
//	figure.go       svg and pgfplots: loss, robust risk, accuracies, dual variables, dual gap
//	costs.go        costs-svg and costs-pgfplots: what robustness costs, of several runs
package publish

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/eventlog"
	"drolab/runner/page"
	"drolab/runner/record"
)

// Run is a run with the data that formats need.
type Run struct {
	*record.Run
	// State is a checkpoint; formats without a network need none.
	State *runner.State
	// Encoder describes the input of the network; nil in the same formats.
	Encoder *data.Encoder
}

// Format is one way to write a run.
type Format struct {
	Name, Doc string
	Network   bool // it needs State and Encoder
	Write     func(r *Run, path string) error
	// WriteAll takes the place of Write in a format that compares several runs.
	WriteAll func(runs []*record.Run, path string) error
}

// Formats lists every format.
func Formats() []Format {
	return []Format{
		{Name: "python", Network: true, Write: toFile(writePython),
			Doc: "one file with the network in PyTorch, its weights and how samples are encoded"},
		{Name: "onnx", Network: true, Write: toFile(writeONNX),
			Doc: "the network, normalisation included, as ONNX"},
		{Name: "csv", Write: writeCSV,
			Doc: "a folder with curves.csv, evaluations.csv and summary.csv"},
		{Name: "tensorboard", Write: writeTensorBoard,
			Doc: "a folder of event files that TensorBoard opens"},
		{Name: "latex", Write: toFile(writeLaTeX),
			Doc: "a table of the run's figures and one by class or group, with booktabs"},
		{Name: "svg", Write: toFile(writeSVG), Doc: "the curves as a figure"},
		{Name: "pgfplots", Write: toFile(writePGF), Doc: "the same figure for LaTeX"},
		{Name: "costs-svg", WriteAll: writeCosts(costsSVG),
			Doc: "what it costs: the methods of several runs as points in two measures"},
		{Name: "costs-pgfplots", WriteAll: writeCosts(costsPGF),
			Doc: "the same figure for LaTeX"},
	}
}

// Find returns the format of a name.
func Find(name string) (*Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return &f, nil
		}
		names = append(names, f.Name)
	}
	if name == "" {
		return nil, fmt.Errorf("no format is named: expected one of %s", strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("unknown format %q: expected one of %s", name, strings.Join(names, ", "))
}

// toFile returns the Write of a format that is a single file.
func toFile(write func(w io.Writer, r *Run) error) func(*Run, string) error {
	return func(r *Run, path string) error {
		return page.NewFile(path, func(w io.Writer) error { return write(w, r) })
	}
}

// network describes the network of a run.
type network struct {
	layers    []nn.Layer
	tensors   []nn.Tensor // parameters and buffers
	mean, std []float32   // of the input's channels; nil: none
}

func (r *Run) network() (*network, error) {
	e, s := r.Encoder, &r.Meta.Spec
	layers, err := nn.Layers(s.Network(e.Shape, len(e.Classes)))
	if err != nil {
		return nil, err
	}
	if err := checkLayers(layers); err != nil {
		return nil, err
	}
	n := &network{layers: layers, tensors: slices.Concat(r.State.Parameters, r.State.Buffers)}
	n.mean, n.std = s.Normalisation(e.Mean, e.Std)
	for _, l := range layers {
		weights := func(t nn.Tensor) bool { return t.Name == l.Name+".weight" }
		if (l.Kind == "conv" || l.Kind == "linear") && !slices.ContainsFunc(n.tensors, weights) {
			return nil, fmt.Errorf("the checkpoint lacks the weights of layer %s", l.Name)
		}
	}
	return n, nil
}

// checkLayers refuses layers of a kind that the writers of networks do not know.
func checkLayers(layers []nn.Layer) error {
	kinds := []string{"conv", "linear", "average", "sum"}
	for _, l := range layers {
		if !slices.Contains(kinds, l.Kind) {
			return fmt.Errorf("layer %s is of kind %s, which no network format can hold",
				l.Name, l.Kind)
		}
	}
	return nil
}

// events reads the whole log, without the events that a resume took back.
func (r *Run) events() (steps []*runner.StepEvent, evals []*runner.EvalEvent, err error) {
	h, err := eventlog.ReadHistory(r.Tail(), nil)
	if err != nil {
		return nil, nil, err
	}
	return h.Steps, h.Evals, nil
}
