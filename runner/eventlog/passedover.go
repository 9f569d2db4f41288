package eventlog

import (
	"errors"
	"slices"
	"sync"
)

// PassedOver collects the errors of what was passed over in a run's files, so that nobody takes the
// rest for all. Several goroutines may use it at once. A nil PassedOver collects nothing.
type PassedOver struct {
	mu   sync.Mutex
	list []error // each once, although a file is read more than once
}

func (p *PassedOver) Add(err error) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	known := func(e error) bool { return e.Error() == err.Error() }
	if len(p.list) < maxDamaged && !slices.ContainsFunc(p.list, known) {
		p.list = append(p.list, err)
	}
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

// None reports whether nothing was passed over so far.
func (p *PassedOver) None() bool {
	_, err := p.First()
	return err == nil
}

// Gap returns the first GapEvent of the log; nil: there is none.
func (p *PassedOver) Gap() (first *GapEvent) {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, err := range p.list {
		var gap *GapEvent
		if errors.As(err, &gap) && (first == nil || gap.Start < first.Start) {
			first = gap
		}
	}
	return first
}
