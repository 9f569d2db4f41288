package record

import (
	"fmt"

	"drolab/runner"
	"drolab/runner/spec"
)

// Mixed names the methods of a run whose log turned its method into another one, such as "sfk, from
// step 90 on sfk-auto". Only logs that are older than sfk-auto could do so. Mixed returns "" for
// every other run. A mixed run is evidence for neither method.
func (r *Run) Mixed() (string, error) {
	settings := r.Meta.Spec
	was := settings.Algorithm()
	if spec.Other(was) == "" {
		return "", nil // most logs need no look
	}
	for log := r.Tail(); ; {
		events, err := log.Read()
		if err != nil || len(events) == 0 {
			return "", err
		}
		for _, e := range events {
			if k, ok := e.(*runner.KnobEvent); ok && k.Apply(&settings) == nil &&
				settings.Algorithm() != was {
				return fmt.Sprintf("%s, from step %d on %s", was, k.Step, settings.Algorithm()), nil
			}
		}
	}
}

// Unmixed returns the runs of one method each, and a description of each of the others.
func Unmixed(runs []*Run) (pure []*Run, mixed []string) {
	for _, r := range runs {
		of, err := r.Mixed()
		if err != nil || of == "" { // an unreadable log is reported elsewhere
			pure = append(pure, r)
			continue
		}
		mixed = append(mixed, fmt.Sprintf("%s (%s)", r.Meta.ID, of))
	}
	return pure, mixed
}
