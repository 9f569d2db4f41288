package record

import (
	"fmt"
	"sync"
)

// passedOver collects what could not be read of a run's files and was passed over, so
// that nobody takes the rest for all. Several goroutines may read at once; nil
// collects nothing.
type passedOver struct {
	mu    sync.Mutex
	list  []error
	known map[string]bool // by its text: a file is read more than once
}

func (p *passedOver) add(err error) {
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
func (p *passedOver) addLine(path string, start int64, err error) {
	p.add(fmt.Errorf("%s: the line at byte %d: %w", path, start, err))
}

// PassedOver says what of the run's files was passed over so far, by Find and by all
// that has read the run since: damaged lines of its log, a damaged summary or label.
// What stood there is missing in every figure. It is nil where all was read.
func (r *Run) PassedOver() error {
	p := r.passed
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	more := ""
	switch n := len(p.list); {
	case n == 0:
		return nil
	case n > 1:
		more = fmt.Sprintf(" (and %d more)", n-1)
	}
	return fmt.Errorf("run %s: passed over: %w%s: see drolab doctor", r.Meta.ID, p.list[0], more)
}
