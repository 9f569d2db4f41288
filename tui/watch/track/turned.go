package track

import "drolab/runner"

// knobs is the state of a run's knobs, the settings that can be turned (changed) while it goes on.
type knobs struct {
	Turns bool // whether it has knobs; found once, because every frame asks
	turns turned
}

// turned is the stack of the turns of a run's knobs. A turn that brings a setting back to the bits
// that it had before the last turn takes that turn off the stack, because it undoes it.
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

// maxTurned is the number of turns of a run that can be taken back.
const maxTurned = 64

// Back returns the setting and the value that take back the last turn that stands. The value is the
// one from before the turn, in as many digits as its bits need. ok is false where no turn stands.
func (t *Track) Back() (key, value string, ok bool) {
	last, ok := t.turns.last()
	if !ok {
		return "", "", false
	}
	before := runner.KnobEvent{New: last.Old}
	return last.Key, before.Value().String(), true
}
