package bridge

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/bridge/internal/frame"
	"drolab/runner/data"
	"drolab/runner/gate"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// Script is a script with a loop of its own, in the place of a network. It is the reverse of
// Program: the script asks, and drolab answers. The run's goroutine waits here for the script's
// next message, so that steps, meters, records and orders are the same as in every run. It
// implements train.Leader.
//
// The script's messages are checked as a program's answers are. A script may take as long as it
// likes. It has ended when its pipe has ended.
type Script struct {
	conn    *frame.Conn
	Opening Opening
	data    *data.Dataset
	run     *train.Run
	needs   needs
	dir     string // the run's scratch folder
	loaded  string // folder in dir with the files of the checkpoint to go on from
	saving  string // folder in dir with the files of the checkpoint under way
	saves   int
	spec    *spec.Spec

	x, z  given // samples of the step, and of the method's own draw
	part  int   // number of losses of z that were asked for
	epoch uint64
	took  taken
	again bool // whether the script is to go back to its start
	waits bool // whether the script waits for an answer
}

// taken holds what the script says of a step.
type taken struct {
	rate, norm float64
	normed     bool
	err        error // why it took no step
}

// said is a message of the script after the first, with the members of every kind.
type said struct {
	opening *Opening
	Do      string   `json:"do"`
	Has     []string `json:"has"`
	Split   string   `json:"split"`
	Skipped bool     `json:"skipped"`
	Names   []string `json:"names"`
	Status  string   `json:"status"`
	Cause   string   `json:"cause"`
}

// MostBody implements frame.Sized: six numbers for each sample, and room for a batch that is larger
// than a small split. A test split that the script did not count may have any size.
func (m *said) MostBody() int {
	if m.Split == runner.SplitTest && m.opening.Samples[m.Split] == 0 {
		return frame.MostBody
	}
	most := 1 << 20
	for _, n := range m.opening.Samples {
		most += 6 * 8 * n
	}
	return min(most, frame.MostBody)
}

// told is an answer to such a message.
type told struct {
	Error    string `json:"error,omitempty"`
	Fresh    bool   `json:"fresh,omitempty"`
	Stop     bool   `json:"stop,omitempty"`
	Save     bool   `json:"save,omitempty"`
	Restart  bool   `json:"restart,omitempty"`
	Selected bool   `json:"selected,omitempty"`
	Folder   string `json:"folder,omitempty"`
}

// welcome is the answer to the first message.
type welcome struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	Folder  string `json:"folder,omitempty"` // with the files that the script has saved
	Step    int64  `json:"step"`
	Epoch   uint64 `json:"epoch"`
}

// errDone says that the script has left its block without an error.
var errDone = errors.New("done")

// Meet reads the first message of a script. After an error, the caller tells the script of it by
// Over.
func Meet(in io.Reader, out io.Writer) (*Script, error) {
	s := &Script{conn: frame.NewConn(in, out), waits: true}
	arrays, err := s.conn.Receive(&s.Opening, frame.MostHead, 0)
	if err != nil {
		return s, gone(err)
	}
	switch o := &s.Opening; {
	case o.Do != "start":
		return s, fmt.Errorf("a script says %.40q first: want start", o.Do)
	case o.Version != version:
		return s, fmt.Errorf("it speaks version %d of the protocol: want %d", o.Version, version)
	case len(arrays) > 0: // empty ones
		return s, errors.New("start has arrays, which it does not take")
	}
	return s, nil
}

// gone returns the error of a read or a write, or train.ErrLeft if the other side has gone.
func gone(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE) {
		return train.ErrLeft
	}
	return errors.New("the script: " + clean(err.Error(), mostLine))
}

// Over tells the script how its run ended; a nil error means well. The script hears it when it next
// asks for something, or at once if it already waits for an answer. Over returns when the script
// has heard it or has gone.
func (s *Script) Over(err error) {
	var end told
	if err != nil {
		end.Error = clean(err.Error(), mostLine)
	}
	for !s.waits {
		if _, _, err := s.hear(); err != nil {
			return
		}
	}
	s.conn.Send(end)
}

// At gives the script the scratch folder and the settings of its run.
func (s *Script) At(
	place runner.Workplace, of *spec.Spec, d *data.Dataset,
) (train.Network, error) {
	dir, err := place.Scratch()
	s.dir, s.spec, s.data = dir, of, d
	return s, err
}

// Lead implements train.Leader.
func (s *Script) Lead(r *train.Run) error {
	s.run, s.needs = r, needsOf(r)
	if err := s.answer(welcome{version, r.Meta.ID, s.loaded, r.Head().Step, s.epoch}); err != nil {
		return err
	}
	for {
		m, arrays, err := s.hear()
		if err == nil {
			err = s.do(m, arrays)
		}
		switch {
		case errors.Is(err, errDone):
			return nil
		case err != nil:
			return err
		}
	}
}

// hear waits for the next message of the script.
func (s *Script) hear() (*said, []frame.Array, error) {
	m := &said{opening: &s.Opening}
	arrays, err := s.conn.Receive(m, frame.UsualHead, frame.MostBody)
	if err != nil {
		return nil, nil, gone(err)
	}
	s.waits = m.Do != "step" && m.Do != "log"
	return m, arrays, nil
}

// answer sends an answer, after which the script no longer waits.
func (s *Script) answer(head any, arrays ...frame.Array) error {
	s.waits = false
	if err := s.conn.Send(head, arrays...); err != nil {
		return gone(err)
	}
	return nil
}

// do does what a message asks for.
func (s *Script) do(m *said, arrays []frame.Array) error {
	switch m.Do {
	case "weights":
		if err := s.x.take(s, runner.SplitTrain, m.Has, arrays, s.needs); err != nil {
			return fmt.Errorf("weights: %w", err)
		}
		return s.run.Take(s.x.batch.N)
	case "epoch":
		return s.endEpoch(m, arrays)
	case "evaluate":
		if err := s.evaluate(m, arrays); err != nil {
			return fmt.Errorf("evaluate: %w", err)
		}
		return s.answer(told{})
	case "selected":
		best, err := s.run.Selected()
		if err != nil {
			return err
		}
		return s.answer(told{Selected: best})
	case "log":
		return s.log(m, arrays)
	case "checkpoint":
		return s.checkpoint()
	case "end":
		return s.end(m)
	case "step":
		return errors.New("run.step comes without run.weights before it")
	}
	return fmt.Errorf("the script says %.40q, which drolab does not know: install both of one "+
		"version", m.Do)
}

// end returns how the script left its block, as an error.
func (s *Script) end(m *said) error {
	switch m.Status {
	case "done":
		return errDone
	case "stopped":
		return gate.ErrStopped
	case "failed":
		return errors.New(cmp.Or(clean(m.Cause, mostLine), "the script failed without a reason"))
	}
	return fmt.Errorf("the script ends as %.40q: want done, stopped or failed", m.Status)
}

// endEpoch lets the method act, and tells the script whether to go back to its start.
func (s *Script) endEpoch(m *said, arrays []frame.Array) error {
	if len(m.Has) > 0 {
		m.Split = runner.SplitTrain
		if err := s.evaluate(m, arrays); err != nil {
			return fmt.Errorf("end_epoch: %w", err)
		}
	}
	s.epoch++
	s.again = false
	restart, err := s.run.EndEpoch(int(s.epoch))
	if err != nil {
		return fmt.Errorf("end_epoch: %w", err)
	}
	return s.answer(told{Restart: restart && s.again})
}

// log records values of the script's own.
func (s *Script) log(m *said, arrays []frame.Array) error {
	if len(arrays) != 1 {
		return errors.New("log: want one array")
	}
	if len(m.Names) > measure.MostUser {
		return fmt.Errorf("log: %d values: want at most %d", len(m.Names), measure.MostUser)
	}
	values := make([]float64, len(m.Names))
	err := arrays[0].Floats(values)
	for i := 0; i < len(values) && err == nil; i++ {
		err = s.run.Log(m.Names[i], values[i])
	}
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}
	return nil
}

// checkpoint gives the script a folder and makes a checkpoint of the files that the script puts
// there.
func (s *Script) checkpoint() error {
	s.saves++
	folder := filepath.Join(s.dir, fmt.Sprintf("save-%d", s.saves))
	if err := os.Mkdir(folder, 0o700); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	defer os.RemoveAll(folder)
	if err := s.answer(told{Folder: folder}); err != nil {
		return err
	}
	m, _, err := s.hear()
	switch {
	case err != nil:
		return err
	case m.Do == "discard":
		return cmp.Or(os.RemoveAll(folder), s.answer(told{}))
	case m.Do == "end":
		return s.end(m)
	case m.Do != "saved":
		return fmt.Errorf("run.%s comes within the block of run.checkpoint",
			clean(m.Do, mostName))
	}
	s.saving = folder
	if err := s.run.Checkpoint(); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return s.answer(told{})
}

// needsOf returns what the run's method needs to know of samples.
func needsOf(r *train.Run) (n needs) {
	_, n.index = r.Method.Trainer.(dro.Epochal)
	m, err := dro.Find(r.Meta.Spec.Algorithm())
	if err == nil && m.Uses != "" {
		n.group, n.label = r.Data.Grouped, !r.Data.Grouped || m.Uses == "labels"
	}
	return n
}
