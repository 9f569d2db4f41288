package eventlog

import (
	"fmt"
	"sync"
)

// PassedOver collects the errors of what was passed over in a run's files, so that nobody takes the
// rest for all. Several goroutines may use it at once. A nil PassedOver collects nothing.
type PassedOver struct {
	mu    sync.Mutex
	list  []error
	known map[string]bool // by its text: a file is read more than once
}

func (p *PassedOver) Add(err error) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known[err.Error()] || len(p.list) == maxDamaged {
		return
	}
	if p.known == nil {
		p.known = map[string]bool{}
	}
	p.known[err.Error()] = true
	p.list = append(p.list, err)
}

// addLine adds the error of one line of a log.
func (p *PassedOver) addLine(path string, start int64, err error) {
	p.Add(fmt.Errorf("%s: the line at byte %d: %w", path, start, err))
}

// First returns the first error, and the number of the others.
func (p *PassedOver) First() (more int, err error) {
	if p == nil {
		return 0, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.list) == 0 {
		return 0, nil
	}
	return len(p.list) - 1, p.list[0]
}
