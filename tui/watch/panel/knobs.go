package panel

import (
	"drolab/runner"
	"drolab/runner/spec"
)

// TurnableKeys returns the settings that can be changed in a run with that spec: those that could
// be set to their present value.
func TurnableKeys(s spec.Spec) (keys []string) {
	for _, key := range s.Knobs() {
		if _, _, err := s.Turn(key, s.Text(key)); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// knobs is the state of a run's knobs, the settings that can be turned (changed) while it goes on.
type knobs struct {
	HasKnobs bool // whether it has knobs; found once, because every frame asks
	turns    turnStack
}

// turnStack is the stack of the turns of a run's knobs. A turn that brings a setting back to the
// bits that it had before the last turn takes that turn off the stack, because it undoes it.
type turnStack []runner.KnobEvent

// add takes in a turn, in the order of the log.
func (s turnStack) add(e *runner.KnobEvent) turnStack {
	if n := len(s); n > 0 && s[n-1].Key == e.Key && e.New == s[n-1].Old {
		return s[:n-1]
	}
	return push(s, *e, maxTurns)
}

// maxTurns is the number of turns of a run that can be taken back.
const maxTurns = 64

// Back returns the setting and the value that take back the last turn that stands. The value is the
// one from before the turn, in as many digits as its bits need. ok is false where no turn stands.
func (t *Track) Back() (key, value string, ok bool) {
	if len(t.turns) == 0 {
		return "", "", false
	}
	last := t.turns[len(t.turns)-1]
	before := runner.KnobEvent{New: last.Old}
	return last.Key, before.Value().String(), true
}
