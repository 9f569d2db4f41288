// Package asnative writes drolab's own networks and samples for peer/native.py, so that tests
// compare a program in PyTorch with drolab itself.
package asnative

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/publish"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// Write puts a network with these weights, and all samples, into a folder.
func Write(folder string, s *spec.Spec, d *data.Dataset, weights []nn.Tensor) error {
	r := &publish.Run{Run: &record.Run{Meta: runner.Meta{ID: "native", Spec: *s}},
		State: &runner.State{Parameters: weights}, Encoder: &d.Encoder}
	python, err := publish.Find("python")
	if err == nil {
		os.Remove(filepath.Join(folder, "native_network.py"))
		err = python.Write(r, filepath.Join(folder, "native_network.py"))
	}
	for _, split := range runner.Splits() {
		if src := train.Source(d, split); src != nil {
			err = errors.Join(err, write(filepath.Join(folder, split), src))
		}
	}
	return err
}

// write puts a split's values, labels and groups into three files.
func write(path string, src data.Source) error {
	var x, labels, groups []byte
	values := make([]float32, src.Shape().Len())
	for i := range src.Len() {
		src.Read(values, i)
		for _, v := range values {
			x = binary.LittleEndian.AppendUint32(x, math.Float32bits(v))
		}
		labels = binary.LittleEndian.AppendUint32(labels, uint32(src.Label(i)))
		groups = binary.LittleEndian.AppendUint32(groups, uint32(src.Group(i)))
	}
	return errors.Join(os.WriteFile(path+".x", x, 0o600),
		os.WriteFile(path+".labels", labels, 0o600),
		os.WriteFile(path+".groups", groups, 0o600))
}
