package tuitest

import "errors"

// Trust stands in for the record of the programs that a user has started: the checksum of each
// program's file by its path, and the approvals.
type Trust struct {
	Sums     map[string]string
	Approved []string // each a path, a space and a checksum
}

// Look implements lab.Programs.
func (p *Trust) Look(path string) (sum string, started bool, err error) {
	sum, ok := p.Sums[path]
	if !ok {
		return "", false, errors.New("it is not there")
	}
	for _, a := range p.Approved {
		started = started || a == path+" "+sum
	}
	return sum, started, nil
}

// ApproveAs implements lab.Programs.
func (p *Trust) ApproveAs(path, sum string) error {
	if p.Sums[path] != sum {
		return errors.New("it was changed at this moment")
	}
	p.Approved = append(p.Approved, path+" "+sum)
	return nil
}
