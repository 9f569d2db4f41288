package bridge

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// Script is a script with a loop of its own. It is the reverse of Program: the script asks, and
// drolab answers. The run's goroutine waits here for the script's next message, and calls the parts
// of a step in its order, so that steps, meters, records and orders are the same as in every run.
// It implements train.Leader.
//
// The script's messages are checked as a program's answers are. A script may take as long as it
// likes. It has ended when its pipe has ended.
type Script struct {
	conn    *Conn
	Opening Opening
	data    *data.Dataset
	run     *train.Run
	needs   sampleNeeds
	dir     string // the run's scratch folder
	loaded  string // folder in dir with the files of the checkpoint to go on from
	saving  string // folder in dir with the files of the checkpoint under way
	saves   int
	spec    *spec.Spec

	x, z  scriptSamples // samples of the step, and of the method's own draw
	ranks shuffles
	epoch uint64
	form  form
	waits bool // whether the script waits for an answer
	noted bool // whether a note was sent since the last answer
}

// scriptMessage is a message of the script after the first, with the members of every kind.
type scriptMessage struct {
	opening *Opening
	Do      string   `json:"do"`
	Has     []string `json:"has"`
	Fresh   []string `json:"fresh"`
	Split   string   `json:"split"`
	Skipped bool     `json:"skipped"`
	Names   []string `json:"names"`
	Status  string   `json:"status"`
	Cause   string   `json:"cause"`
}

// MostBody implements bodyLimiter: six numbers for each sample, and room for a batch that is larger
// than a small split. A test split that the script did not count may have any size.
func (m *scriptMessage) MostBody() int {
	if m.Split == runner.SplitTest && m.opening.Samples[m.Split] == 0 {
		return MostBody
	}
	most := 1 << 20
	for _, n := range m.opening.Samples {
		most += 6 * 8 * n
	}
	return min(most, MostBody)
}

// scriptAnswer is an answer to such a message.
type scriptAnswer struct {
	Error    string `json:"error,omitempty"`
	Form     string `json:"form,omitempty"`
	By       string `json:"by,omitempty"`
	Fresh    bool   `json:"fresh,omitempty"`
	Stop     bool   `json:"stop,omitempty"`
	Save     bool   `json:"save,omitempty"`
	Restart  bool   `json:"restart,omitempty"`
	Selected bool   `json:"selected,omitempty"`
	Folder   string `json:"folder,omitempty"`
}

// scriptNote is sent before an answer, to a script that said that it takes notes.
type scriptNote struct {
	Note string `json:"note"`
}

// startAnswer is the answer to the first message.
type startAnswer struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	Folder  string `json:"folder,omitempty"`     // with the files that the script has saved
	Bytes   int    `json:"form_bytes,omitempty"` // most of the arrays of a form; 0: no form
	Step    int64  `json:"step"`
	Epoch   uint64 `json:"epoch"`
	// Patience is the number of seconds that the script's processes wait for each other.
	Patience float64 `json:"patience"`
}

// errDone says that the script has left its block without an error.
var errDone = errors.New("done")

// Accept reads the first message of a script. After an error, the caller tells the script of it by
// End.
func Accept(in io.Reader, out io.Writer) (*Script, error) {
	s := &Script{conn: NewConn(in, out), waits: true}
	arrays, err := s.conn.Receive(&s.Opening, MostHead, 0)
	if err != nil {
		return s, pipeError(err)
	}
	switch o := &s.Opening; {
	case o.Do != "start":
		return s, fmt.Errorf("a script says %.40q first: expected start", o.Do)
	case o.Version != version:
		return s, fmt.Errorf("it speaks version %d of the protocol: expected %d", o.Version,
			version)
	case len(arrays) > 0: // empty ones
		return s, errors.New("start has arrays, which it does not take")
	}
	return s, nil
}

// pipeError returns the error of a read or a write, or train.ErrLeft if the other side has gone.
func pipeError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, os.ErrClosed) || errors.Is(err, syscall.EPIPE) {
		return train.ErrLeft
	}
	return errors.New("the script: " + runner.OneLine(err.Error(), mostLine))
}

// End tells the script how its run ended; a nil error means well. The script hears it when it next
// asks for something, or at once if it already waits for an answer. End returns when the script
// has heard it or has gone.
func (s *Script) End(err error) {
	var end scriptAnswer
	if err != nil {
		end.Error = runner.OneLine(err.Error(), mostLine)
	}
	for !s.waits {
		if _, _, err := s.receive(); err != nil {
			return
		}
	}
	s.conn.Send(end)
}

// Open returns the script as the leader of a run, whose scratch folder, settings and data it now
// knows.
func (s *Script) Open(
	place runner.Workplace, of *spec.Spec, d *data.Dataset,
) (train.Leader, error) {
	dir, err := place.Scratch()
	if err != nil {
		return nil, err
	}
	s.dir, s.spec, s.data = dir, of, d
	return s, nil
}

// Close implements train.Leader: it removes the scratch folder.
func (s *Script) Close() { os.RemoveAll(s.dir) }

// Lead implements train.Leader.
func (s *Script) Lead(r *train.Run) error {
	s.run, s.needs = r, needsOf(r)
	s.ranks = newShuffles(s.Opening.Processes, r.Data.Train.Len())
	s.form.open(r)
	if s.Opening.Restarts > 0 && s.Opening.Resume == "" {
		r.NewAfterRestart()
	}
	if err := s.answer(startAnswer{version, r.Meta.ID, s.loaded, s.form.most, r.Head().Step,
		s.epoch, s.spec.ProgramPatience}); err != nil {
		return err
	}
	for {
		m, arrays, err := s.receive()
		if err == nil {
			err = s.carryOut(m, arrays)
		}
		switch {
		case errors.Is(err, errDone):
			return nil
		case err != nil:
			return err
		}
	}
}

// receive waits for the next message of the script.
func (s *Script) receive() (*scriptMessage, []Array, error) {
	m := &scriptMessage{opening: &s.Opening}
	arrays, err := s.conn.Receive(m, UsualHead, MostBody)
	if err != nil {
		return nil, nil, pipeError(err)
	}
	s.waits = m.Do != "step" && m.Do != "log"
	return m, arrays, nil
}

// Waits tells a script that takes notes why its run waits for the disk. It sends one note before an
// answer, however often the disk fails: the script reads it when it next waits for drolab, and the
// pipe has room for one.
func (s *Script) Waits(cause error) {
	if !s.Opening.Notes || s.noted {
		return
	}
	s.noted = true
	s.conn.Send(scriptNote{fmt.Sprintf("the run waits: %s (it continues when this is fixed)",
		runner.OneLine(cause.Error(), mostLine))})
}

// answer sends an answer, after which the script no longer waits.
func (s *Script) answer(head any, arrays ...Array) error {
	s.waits, s.noted = false, false
	if err := s.conn.Send(head, arrays...); err != nil {
		return pipeError(err)
	}
	return nil
}

// carryOut does what a message asks for.
func (s *Script) carryOut(m *scriptMessage, arrays []Array) error {
	switch m.Do {
	case "weights":
		return s.weights(m, arrays)
	case "epoch":
		return s.endEpoch(m, arrays)
	case "evaluate":
		if err := s.evaluate(m, arrays); err != nil {
			return fmt.Errorf("evaluate: %w", err)
		}
		return s.answer(scriptAnswer{})
	case "selected":
		best, err := s.run.Selected()
		if err != nil {
			return err
		}
		return s.answer(scriptAnswer{Selected: best})
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
func (s *Script) end(m *scriptMessage) error {
	switch m.Status {
	case "done":
		return errDone
	case "stopped":
		return train.ErrStopped
	case "failed":
		cause := runner.OneLine(m.Cause, mostLine)
		if cause == "" {
			cause = "the script failed without a reason"
		}
		return errors.New(cause)
	}
	return fmt.Errorf("the script ends as %.40q: expected done, stopped or failed", m.Status)
}

// endEpoch lets the method act, and tells the script whether to go back to its start.
func (s *Script) endEpoch(m *scriptMessage, arrays []Array) error {
	if len(m.Has) > 0 {
		m.Split = runner.SplitTrain
		if err := s.evaluate(m, arrays); err != nil {
			return fmt.Errorf("end_epoch: %w", err)
		}
	}
	s.lookAtShuffles()
	s.epoch++
	restart, err := s.run.EndEpoch(int(s.epoch))
	if err != nil {
		return fmt.Errorf("end_epoch: %w", err)
	}
	return s.answer(scriptAnswer{Restart: restart})
}

// log records values of the script's own.
func (s *Script) log(m *scriptMessage, arrays []Array) error {
	if len(arrays) != 1 {
		return errors.New("log: expected one array")
	}
	if len(m.Names) > measure.MostUser {
		return fmt.Errorf("log: %d values: expected at most %d", len(m.Names), measure.MostUser)
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
