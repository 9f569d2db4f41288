package record

import (
	"fmt"

	"drolab/runner"
	"drolab/runner/spec"
)

// Mixed says which methods a run is of where its log turned one into another, as
// logs could that are older than sfk-auto: "sfk, from step 90 on sfk-auto". It is
// empty for every other run. Such a run speaks for neither method.
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

// Unmixed returns the runs of one method each, and what is to be said of the others.
func Unmixed(runs []*Run) (pure []*Run, mixed []string) {
	for _, r := range runs {
		of, err := r.Mixed()
		if err != nil || of == "" { // a log that cannot be read is told of elsewhere
			pure = append(pure, r)
			continue
		}
		mixed = append(mixed, fmt.Sprintf("%s (%s)", r.Meta.ID, of))
	}
	return pure, mixed
}
