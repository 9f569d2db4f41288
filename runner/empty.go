package runner

import "fmt"

// noteEmpty warns of groups that nothing is known of: a worst one is the worst
// of the others then.
func (r *run) noteEmpty() error {
	for _, split := range []struct {
		name, then string
		counts     []int
	}{
		{"training", "nothing is learned of it", r.meta.TrainCounts},
		{"test", "its accuracy does not apply, and the worst group or class is the worst of the others",
			r.meta.TestCounts},
	} {
		for i, n := range split.counts {
			if n > 0 {
				continue
			}
			text := fmt.Sprintf("%s has no %s samples: %s", r.meta.Groups[i], split.name, split.then)
			if err := r.append(&WarningEvent{Head: r.head(), Message: text}); err != nil {
				return err
			}
		}
	}
	return nil
}
