package sweep

import (
	"fmt"

	"drolab/runner/bridge"
)

// Approved returns the programs of the sweep's runs, as their user has started them. A program that
// this user has not started is an error, so that a sweep of a stranger starts none.
func (l *List) Approved(own bridge.Approvals) (list []bridge.Approval, err error) {
	seen := map[string]bool{}
	for i := range l.Runs {
		s, err := l.Spec(i)
		if err != nil {
			return nil, err
		}
		s.SettleProgram(l.Dir)
		p, ok := s.Program()
		if !ok || seen[p.Path] {
			continue
		}
		seen[p.Path] = true
		sum, err := own.Check(p.Path)
		if err != nil {
			return nil, fmt.Errorf("model: %w", err)
		}
		list = append(list, bridge.Approval{Path: p.Path, Sum: sum})
	}
	return list, nil
}
