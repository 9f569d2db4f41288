package eventlog

import (
	"fmt"
	"sync"
)

// PassedOver collects what could not be read of a run's files and was passed over, so
// that nobody takes the rest for all. Several goroutines may read at once; nil
// collects nothing.
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

// addLine adds a line of a log.
func (p *PassedOver) addLine(path string, start int64, err error) {
	p.Add(fmt.Errorf("%s: the line at byte %d: %w", path, start, err))
}

// First returns how much was passed over besides the first, and that.
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
