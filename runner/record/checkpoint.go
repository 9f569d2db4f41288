package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/internal/aside"
	"drolab/runner/measure"
	"drolab/runner/record/internal/disk"
	"drolab/runner/record/internal/eventlog"
)

// Tensors that are not parameters have a prefix in the file.
const (
	velocityPrefix = "velocity."
	bufferPrefix   = "buffer."
	pickedPrefix   = "paper_iterate."
)

// stateFile is the JSON of a checkpoint.
type stateFile struct {
	runner.State
	Method  *methodState `json:"method,omitempty"`
	Tensors string       `json:"tensors"` // the file beside this one
	SHA256  string       `json:"sha256"`  // of that file, in hexadecimal
	// Log is the last line of the log that was on disk before the checkpoint, and
	// Knobs what the lines up to it turned; nil in a checkpoint of a program before.
	Log   *int64             `json:"log,omitempty"`
	Knobs []runner.KnobEvent `json:"knobs,omitempty"`

	// Z and Iterate are the method's state in a checkpoint of the first form.
	Z       *firstZ              `json:"z,omitempty"`
	Iterate *runner.PaperIterate `json:"paper_iterate,omitempty"`
}

// methodState is a dro.State: a run that diverges has numbers that are not
// finite, and flags are bits, the first one in the lowest place.
type methodState struct {
	Numbers map[string]measure.Number `json:"numbers"`
	Flags   map[string]bits           `json:"flags,omitempty"`

	Lists map[string][]measure.Number `json:"lists,omitempty"`
}

type bits struct {
	Count int    `json:"count"`
	Bits  []byte `json:"bits"`
}

type firstZ struct {
	Lambda measure.Number `json:"lambda"`
	Eta    measure.Number `json:"eta"`
}

func encodeMethod(s *dro.State) *methodState {
	if s == nil {
		return nil
	}
	m := &methodState{Numbers: map[string]measure.Number{}, Flags: map[string]bits{},
		Lists: map[string][]measure.Number{}}
	for name, v := range s.Numbers {
		m.Numbers[name] = measure.Num(v)
	}
	for name, list := range s.Lists {
		m.Lists[name] = make([]measure.Number, len(list))
		for i, v := range list {
			m.Lists[name][i] = measure.Num(v)
		}
	}
	for name, flags := range s.Flags {
		b := bits{len(flags), make([]byte, (len(flags)+7)/8)}
		for i, f := range flags {
			if f {
				b.Bits[i/8] |= 1 << (i % 8)
			}
		}
		m.Flags[name] = b
	}
	return m
}

// decode returns the state; an error where the flags are not as many as said.
func (m *methodState) decode() (*dro.State, error) {
	s := &dro.State{
		Numbers: map[string]float64{},
		Flags:   map[string][]bool{},
		Lists:   map[string][]float64{},
	}
	for name, n := range m.Numbers {
		s.Numbers[name] = n.Float()
	}
	for name, list := range m.Lists {
		s.Lists[name] = make([]float64, len(list))
		for i, n := range list {
			s.Lists[name][i] = n.Float()
		}
	}
	for name, b := range m.Flags {
		if b.Count < 0 || len(b.Bits) != (b.Count+7)/8 {
			return nil, fmt.Errorf("flags %.40q: %d bytes for %d flags", name, len(b.Bits), b.Count)
		}
		flags := make([]bool, b.Count)
		for i := range flags {
			flags[i] = b.Bits[i/8]>>(i%8)&1 == 1
		}
		s.Flags[name] = flags
	}
	return s, nil
}

// method returns the method's state, also that of a checkpoint of the first
// form: z, and SFK's output so far.
func (f *stateFile) method() (*dro.State, error) {
	switch {
	case f.Method != nil:
		return f.Method.decode()
	case f.Z == nil:
		return nil, nil
	}
	s := &dro.State{Numbers: map[string]float64{
		"lambda": f.Z.Lambda.Float(),
		"eta":    f.Z.Eta.Float(),
	}}
	if i := f.Iterate; i != nil {
		maps.Copy(s.Numbers, map[string]float64{
			"picked_step":      float64(i.Step),
			"picked_grad_norm": i.GradNorm.Float(),
			"picked_gap":       i.Gap.Float(),
			"picked_lambda":    i.Lambda.Float(),
			"picked_eta":       i.Eta.Float(),
		})
	}
	return s, nil
}

func stateName(step int64) string   { return fmt.Sprintf("step-%010d.json", step) }
func tensorsName(step int64) string { return fmt.Sprintf("step-%010d.safetensors", step) }

// checkpointFile is what the log calls a checkpoint.
func checkpointFile(step int64) string { return checkpointsName + "/" + stateName(step) }

// writeCheckpoint puts s into folder, and where the log stands. The JSON comes
// last and makes the pair complete. A checkpoint of the same step may stand there
// already, when a run is paused and saved again: the same step has the same
// weights, so the pair is whole at every moment.
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
	return f.WriteJSON(stateName(s.Step), &stateFile{
		State: *s, Method: encodeMethod(s.Method),
		Tensors: name, SHA256: hex.EncodeToString(hash.Sum(nil)),
		Log: &at.Seq, Knobs: runner.Turned(at.Knobs),
	})
}

// largeFile is the file beside the JSON: the tensors, or what a program has saved.
func largeFile(s *runner.State) (name string, write func(io.Writer) error, err error) {
	if s.Opaque != nil {
		return opaqueName(s.Step), func(w io.Writer) error {
			_, err := s.Opaque.WriteTo(w)
			return err
		}, nil
	}
	list, err := fileTensors(s)
	return tensorsName(s.Step), func(w io.Writer) error { return writeTensors(w, list) }, err
}

// tensorGroup is a list of a state, and what stands before its names in the file.
type tensorGroup struct {
	prefix string
	list   *[]nn.Tensor
}

// tensorGroups are those of a state, the last in the file first: any name
// begins with the prefix of the parameters, which is none.
func tensorGroups(s *runner.State) []tensorGroup {
	return []tensorGroup{
		{pickedPrefix, &s.Picked}, {bufferPrefix, &s.Buffers}, {velocityPrefix, &s.Velocities},
		{"", &s.Parameters},
	}
}

// groupOf returns the group of a name in the file.
func groupOf(groups []tensorGroup, name string) tensorGroup {
	i := slices.IndexFunc(groups, func(g tensorGroup) bool {
		return strings.HasPrefix(name, g.prefix)
	})
	return groups[i]
}

// fileTensors returns all tensors of s under their names in the file, the
// parameters first.
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

// saved is a checkpoint as it was read.
type saved struct {
	*runner.State
	at *eventlog.Position // nil: it says nothing of the log
}

// readCheckpoint reads the pair of the given step.
func readCheckpoint(in *disk.Folder, step int64) (*saved, error) {
	var f stateFile
	path := in.Join(stateName(step))
	if err := in.ReadJSON(stateName(step), &f); err != nil {
		return nil, err
	}
	if f.Step != step {
		return nil, fmt.Errorf("%s: is of step %d", path, f.Step)
	}
	s := f.State
	list, err := f.readLarge(in, &s)
	if err != nil {
		return nil, err
	}
	if s.Method, err = f.method(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, t := range list {
		g := groupOf(tensorGroups(&s), t.Name)
		t.Name = strings.TrimPrefix(t.Name, g.prefix)
		*g.list = append(*g.list, t)
	}
	got := &saved{State: &s}
	if f.Log != nil {
		got.at = &eventlog.Position{Seq: *f.Log, Knobs: f.Knobs}
	}
	return got, nil
}

// readLarge reads the tensors. What a program has saved it leaves where it is, and only
// looks whether it is whole.
func (f *stateFile) readLarge(in *disk.Folder, s *runner.State) ([]nn.Tensor, error) {
	if f.Tensors != opaqueName(f.Step) {
		return readTensorsFile(in, tensorsName(f.Step), f.SHA256)
	}
	o := &opaqueFile{disk.OpenDisk, in.Path, f.Tensors, f.SHA256}
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
		_, err = io.Copy(io.Discard, r) // nothing, unless the file grew
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Join(name), err)
	}
	if hex.EncodeToString(hash.Sum(nil)) != sum {
		return nil, fmt.Errorf("%s: checksum differs from the one in the JSON beside it",
			in.Join(name))
	}
	return list, nil
}

// newestCheckpoint returns the newest checkpoint that can be read, nil if none
// can, and what is wrong with those that are newer.
func newestCheckpoint(run *disk.Folder) (s *saved, damaged []error, err error) {
	f, err := run.Within(checkpointsName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	steps, err := checkpointSteps(f)
	if err != nil {
		return nil, nil, err
	}
	for _, step := range slices.Backward(steps) {
		s, err := readCheckpoint(f, step)
		if err == nil {
			return s, damaged, nil
		}
		damaged = append(damaged, err)
	}
	return nil, damaged, nil
}

// checkpointSteps lists the complete pairs' steps, ascending.
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

// prune keeps the newest checkpoints up to the step that was just written, those
// that are selected and those that are pinned, and removes all other files: older
// checkpoints, what a crash left incomplete, and steps above the one written,
// pinned or not, which belong to a part of the run that was discarded because they
// are damaged. What cannot be removed costs only space; while somebody pins,
// nothing is.
func prune(f *disk.Folder, written int64, keep int) {
	l, err := f.TryAcquire(pinLockName)
	switch {
	case errors.Is(err, ErrHeld):
		return // the next checkpoint does it
	case err == nil: // else nobody can pin
		defer l.Release()
	}
	steps, _ := checkpointSteps(f)
	past, _ := slices.BinarySearch(steps, written+1)
	stay := spared(f, steps[:past], keep)
	kept := map[string]bool{}
	for _, step := range steps[:past] {
		if slices.Contains(stay, step) || pinned(f, step) {
			for _, name := range checkpointNames(step) {
				kept[name] = true
			}
		}
	}
	entries, _ := f.List() // sorted: a pair's JSON comes first and makes it incomplete
	for _, e := range entries {
		name := e.Name()
		ours := strings.HasPrefix(name, "step-") || strings.HasPrefix(name, aside.Prefix)
		if ours && !kept[name] {
			f.Remove(name)
		}
	}
}
