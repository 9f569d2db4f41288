package record

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"slices"
	"strings"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/disk"
	"drolab/runner/eventlog"
)

// stateFile is the JSON of a checkpoint.
type stateFile struct {
	runner.State
	Method  *methodState `json:"method,omitempty"`
	Tensors string       `json:"tensors"` // the file beside this one
	SHA256  string       `json:"sha256"`  // of that file, in hexadecimal
	// Knobs are the settings that the log had changed: see the seal for how much of the log.
	Knobs []runner.KnobEvent `json:"knobs,omitempty"`
}

// writeCheckpoint writes s, and the position of the log, into the folder f. The JSON comes last and
// completes the pair of files. A checkpoint of the same step may already exist, when a run is
// paused and saved again. The same step has the same weights, so the pair is whole at every moment.
func writeCheckpoint(f *disk.Folder, s *runner.State, at eventlog.Position) error {
	name, write, err := largeFile(s)
	if err != nil {
		return fmt.Errorf("checkpoint of step %d: %w", s.Step, err)
	}
	hash := sha256.New()
	err = f.Write(name, func(w io.Writer) error { return write(io.MultiWriter(w, hash)) })
	if err != nil {
		return err
	}
	return f.WriteSealed(stateName(s.Step), &stateFile{
		State: *s, Method: encodeMethod(s.Method),
		Tensors: name, SHA256: hex.EncodeToString(hash.Sum(nil)),
		Knobs: runner.ValidKnobs(at.Knobs),
	}, &at.Extent)
}

// largeFile returns the name and the writer of the file beside the JSON: the tensors, or what a
// program saved.
func largeFile(s *runner.State) (name string, write func(io.Writer) error, err error) {
	if s.Opaque != nil {
		return opaqueName(s.Step), func(w io.Writer) error {
			_, err := s.Opaque.WriteTo(w)
			return err
		}, nil
	}
	list, err := fileTensors(s)
	if err != nil {
		return "", nil, err
	}
	return tensorsName(s.Step), func(w io.Writer) error { return writeTensors(w, list) }, nil
}

// tensorGroup is a list of tensors in a state, and the prefix of their names in the file. Only the
// parameters have none.
type tensorGroup struct {
	prefix string
	list   *[]nn.Tensor
}

// tensorGroups returns the groups of a state, in the reverse of their order in the file. The
// parameters have an empty prefix, with which any name begins, so they come last.
func tensorGroups(s *runner.State) []tensorGroup {
	return []tensorGroup{
		{"paper_iterate.", &s.Picked}, {"buffer.", &s.Buffers}, {"velocity.", &s.Velocities},
		{"", &s.Parameters},
	}
}

// groupOf returns the group to which a name in the file belongs.
func groupOf(groups []tensorGroup, name string) tensorGroup {
	i := slices.IndexFunc(groups, func(g tensorGroup) bool {
		return strings.HasPrefix(name, g.prefix)
	})
	return groups[i]
}

// fileTensors returns all tensors of s under their names in the file, parameters first.
func fileTensors(s *runner.State) ([]nn.Tensor, error) {
	groups := tensorGroups(s)
	var list []nn.Tensor
	for _, g := range slices.Backward(groups) {
		for _, t := range *g.list {
			t.Name = g.prefix + t.Name
			if groupOf(groups, t.Name) != g {
				return nil, fmt.Errorf("parameter %q: the prefix is taken", t.Name)
			}
			list = append(list, t)
		}
	}
	return list, nil
}

// checkpoint is a checkpoint as it was read.
type checkpoint struct {
	*runner.State
	At eventlog.Position // position of the log
}

// readCheckpoint reads the pair of the given step. After an error it has no State.
func readCheckpoint(in *disk.Folder, step int64) (none checkpoint, err error) {
	var f stateFile
	path := in.Join(stateName(step))
	seal, err := in.ReadSealed(stateName(step), &f)
	switch {
	case err != nil:
		return none, err
	case f.Step != step:
		return none, fmt.Errorf("%s: belongs to step %d", path, f.Step)
	case seal.Log == nil:
		return none, fmt.Errorf("%s: %w", path, errNoExtent)
	}
	s := f.State
	list, err := f.readLarge(in, &s)
	if err != nil {
		return none, err
	}
	if f.Method != nil {
		if s.Method, err = f.Method.decode(); err != nil {
			return none, fmt.Errorf("%s: %w", path, err)
		}
	}
	for _, t := range list {
		g := groupOf(tensorGroups(&s), t.Name)
		t.Name = strings.TrimPrefix(t.Name, g.prefix)
		*g.list = append(*g.list, t)
	}
	return checkpoint{&s, eventlog.Position{Extent: *seal.Log, Knobs: f.Knobs}}, nil
}

// errNoExtent is worded as part of a sentence.
var errNoExtent = errors.New("does not say how much of the log it goes with")

// readLarge reads the tensors. It only checks the checksum of what a program saved, and leaves it
// in its file.
func (f *stateFile) readLarge(in *disk.Folder, s *runner.State) ([]nn.Tensor, error) {
	if f.Tensors != opaqueName(f.Step) {
		return readTensorsFile(in, tensorsName(f.Step), f.SHA256)
	}
	o := &opaqueFile{in.Path, f.Tensors, f.SHA256}
	s.Opaque = o
	_, err := o.copyFrom(in, io.Discard)
	return nil, err
}

// readTensorsFile reads a safetensors file that has the given checksum.
func readTensorsFile(in *disk.Folder, name, sum string) ([]nn.Tensor, error) {
	f, size, err := in.Read(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	hash := sha256.New()
	r := io.TeeReader(f, hash)
	list, err := readTensors(r, size)
	if err == nil {
		_, err = io.Copy(io.Discard, r) // no bytes, unless the file grew
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Join(name), err)
	}
	return list, checkSum(in, name, hash, sum)
}

// newestCheckpoint returns the newest checkpoint that can be read, without a State if none can, and
// the errors of the newer ones.
func newestCheckpoint(run *disk.Folder) (s checkpoint, damaged []error, err error) {
	err = inCheckpoints(run, func(f *disk.Folder) error {
		steps, err := checkpointSteps(f)
		for _, step := range slices.Backward(steps) {
			var wrong error
			if s, wrong = readCheckpoint(f, step); wrong == nil {
				break
			}
			damaged = append(damaged, wrong)
		}
		return err
	})
	return s, damaged, err
}

// inCheckpoints calls do with the folder of a run's checkpoints. It does nothing where there is no
// such folder.
func inCheckpoints(run *disk.Folder, do func(*disk.Folder) error) error {
	f, err := run.Within(checkpointsName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return do(f)
}

// checkpointWitnesses returns the checkpoints of a run as witnesses of its log. The error is about
// one that belongs elsewhere. Such a checkpoint is left out, and so is a damaged one.
func checkpointWitnesses(run *disk.Folder) (list []eventlog.Witness, err error) {
	f, err := run.Within(checkpointsName)
	if err != nil { // whoever needs a checkpoint finds that
		return nil, nil
	}
	defer f.Close()
	steps, err := checkpointSteps(f)
	for _, step := range steps {
		s, wrong := f.Seal(stateName(step))
		switch {
		case errors.Is(wrong, disk.ErrForeign):
			err = cmp.Or(err, wrong)
		case wrong == nil && s.Log != nil:
			list = append(list, eventlog.Witness{File: checkpointFile(step), Extent: *s.Log})
		}
	}
	return list, err
}

// checkpointSteps lists the steps that have a complete checkpoint, ascending.
func checkpointSteps(f *disk.Folder) ([]int64, error) {
	entries, err := f.List()
	if err != nil {
		return nil, err
	}
	var steps []int64
	for _, e := range entries {
		var step int64
		n, _ := fmt.Sscanf(e.Name(), "step-%d.json", &step)
		if n == 1 && step >= 0 && e.Name() == stateName(step) {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	return steps, nil
}

// checkpointFile returns the name of a checkpoint in the log: its path from the run's folder on.
func checkpointFile(step int64) string { return checkpointsName + "/" + stateName(step) }

// checkpointNames returns the names of a checkpoint's files. The first is the JSON, without which
// there is no checkpoint.
func checkpointNames(step int64) []string {
	return []string{stateName(step), tensorsName(step), opaqueName(step), pinName(step)}
}

func stateName(step int64) string   { return fmt.Sprintf("step-%010d.json", step) }
func tensorsName(step int64) string { return fmt.Sprintf("step-%010d.safetensors", step) }

// opaqueName returns the name of the file that holds what a program saved, in place of tensors.
func opaqueName(step int64) string { return fmt.Sprintf("step-%010d.program", step) }

// inCheckpoints calls do with the folder of the run's checkpoints. It does nothing for a packed
// run, and where there is no such folder.
func (r *Run) inCheckpoints(do func(*disk.Folder) error) error {
	if r.packed != nil {
		return nil
	}
	run, err := r.folder()
	if err != nil {
		return err
	}
	defer run.Close()
	return inCheckpoints(run, do)
}

// checkSum returns an error if the hash of a file is not the checksum that its checkpoint has.
func checkSum(in *disk.Folder, name string, of hash.Hash, sum string) error {
	if hex.EncodeToString(of.Sum(nil)) != sum {
		return fmt.Errorf("%s: checksum differs from the one in the JSON beside it", in.Join(name))
	}
	return nil
}
