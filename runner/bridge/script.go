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
	"drolab/runner/train"
)

// Script is a script with a loop of its own, in the place of a network: the other way round of
// Program. It asks, and drolab answers. The run's goroutine waits here for what the script does
// next, so that steps, meters, records and orders are those of every run. It implements
// train.Leader.
//
// What the script sends is checked as a program's answers are. A script may take as long as it
// likes; its end is the end of its pipe.
type Script struct {
	conn    *frame.Conn
	Opening Opening
	data    *data.Dataset
	run     *train.Run
	needs   needs
	dir     string // the run's scratch folder
	loaded  string // in it, the files of the checkpoint that the run goes on from
	saving  string // in it, the files of the checkpoint that is made
	saves   int

	x, z  given // the samples of the step, and of the method's own draw
	part  int   // of z, how many losses were asked for
	epoch uint64
	took  taken
	again bool // the script is to go back to its start
	waits bool // for an answer
}

// taken is what the script says of a step.
type taken struct {
	rate, norm float64
	normed     bool
	err        error // it took none
}

// said is a message of the script, after the first: the members of every kind.
type said struct {
	Do      string   `json:"do"`
	Has     []string `json:"has"`
	Split   string   `json:"split"`
	Skipped bool     `json:"skipped"`
	Names   []string `json:"names"`
	Status  string   `json:"status"`
	Cause   string   `json:"cause"`
}

// told is an answer to it.
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

// errDone is of a script that has left its block well.
var errDone = errors.New("done")

// Meet reads the first message of a script. After an error the script is told it, by Over.
func Meet(in io.Reader, out io.Writer) (*Script, error) {
	s := &Script{conn: frame.NewConn(in, out), waits: true}
	arrays, err := s.conn.Receive(&s.Opening)
	if err != nil {
		return s, gone(err)
	}
	switch o := &s.Opening; {
	case o.Do != "start":
		return s, fmt.Errorf("a script says %.40q first: want start", o.Do)
	case o.Version != version:
		return s, fmt.Errorf("it speaks version %d of the protocol: want %d", o.Version, version)
	case len(arrays) > 0:
		return s, errors.New("start has arrays, which it does not take")
	}
	return s, nil
}

// gone is the error of a read, or ErrLeft where the other side has gone.
func gone(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE) {
		return train.ErrLeft
	}
	return errors.New("the script: " + clean(err.Error(), mostLine))
}

// Over tells the script how its run ended, when it asks for something the next time or waits for
// that already; nil is well. It returns when the script has heard it, or has gone.
func (s *Script) Over(err error) {
	var end told
	if err != nil {
		end.Error = clean(err.Error(), mostLine)
	}
	for !s.waits {
		var m said
		if _, err := s.conn.Receive(&m); err != nil {
			return
		}
		s.waits = m.Do != "step" && m.Do != "log"
	}
	s.conn.Send(end)
}

// At gives the script the folder that its run has for it.
func (s *Script) At(place runner.Workplace, d *data.Dataset) (train.Network, error) {
	dir, err := place.Scratch()
	s.dir, s.data = dir, d
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

// hear waits for what the script does next.
func (s *Script) hear() (*said, []frame.Array, error) {
	m := &said{}
	arrays, err := s.conn.Receive(m)
	if err != nil {
		return nil, nil, gone(err)
	}
	s.waits = m.Do != "step" && m.Do != "log"
	return m, arrays, nil
}

// answer answers, and the script waits no longer.
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

// end is how the script left its block.
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

// endEpoch lets the method act, and tells the script whether to start anew.
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

// log takes values of the script's own.
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

// checkpoint gives the script a folder and makes a checkpoint of what it puts there.
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

// needsOf is what the run's method looks at.
func needsOf(r *train.Run) (n needs) {
	_, n.index = r.Method.Trainer.(dro.Epochal)
	m, err := dro.Find(r.Meta.Spec.Algorithm())
	if err == nil && m.Uses != "" {
		n.group, n.label = r.Data.Grouped, !r.Data.Grouped || m.Uses == "labels"
	}
	return n
}
