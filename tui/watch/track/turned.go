package track

import "drolab/runner"

// knobs are a run's settings that turn.
type knobs struct {
	Turns bool // settings of it can be turned: asked of every frame, so found out once
	turns turned
}

// turned is a stack of the turns of a run's knobs: one that brings a setting back to the bits that
// it had before the last turn takes that turn off, since it was taken back.
type turned []runner.KnobEvent

// add takes in a turn, in the order of the log.
func (s turned) add(e *runner.KnobEvent) turned {
	if last, ok := s.last(); ok && last.Key == e.Key && e.New == last.Old {
		return s[:len(s)-1]
	}
	if len(s) == maxTurned {
		s = s[1:]
	}
	return append(s, *e)
}

func (s turned) last() (e runner.KnobEvent, ok bool) {
	if len(s) == 0 {
		return e, false
	}
	return s[len(s)-1], true
}

// maxTurned is how many turns of a run can be taken back.
const maxTurned = 64

// Back is what takes the last turn of a knob back that stands: the setting, and its value as it was
// before, in as many digits as have its bits. ok is false where no turn stands.
func (t *Track) Back() (key, value string, ok bool) {
	last, ok := t.turns.last()
	if !ok {
		return "", "", false
	}
	before := runner.KnobEvent{New: last.Old}
	return last.Key, before.Value().String(), true
}
