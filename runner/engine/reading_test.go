//go:build darwin || freebsd || linux

package engine

import (
	"errors"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/source"
	"drolab/runner/spec"
)

// While the data of a start are read, its client knows how far that is, and afterwards nothing.
func TestStartSaysHowFarItsDataAreRead(t *testing.T) {
	p := start(t, nil)
	seen, broken := make(chan bool), errors.New("no such luck")
	defer source.Register(data.Provider{Name: "slow", Purpose: "a test",
		Open: func(_ string, o data.Options) (*data.Dataset, error) {
			if err := o.Progress(4000, 10_000); err != nil {
				return nil, err
			}
			<-seen
			return nil, broken
		}})()
	s := spec.Defaults()
	s.Algorithms, s.Dataset, s.Model = []dro.Algorithm{dro.ERM}, "slow", "linear"
	answer := make(chan error, 1)
	go func() {
		_, err := p.Start(runner.Request{Preset: "test", Specs: []spec.Spec{s}})
		answer <- err
	}()
	want := runner.Reading{What: "samples", Done: 4000, Of: 10_000}
	await(t, func() bool { return p.Reading() != nil })
	if got := p.Reading(); *got != want {
		t.Errorf("while the data are read: %+v, want %+v", *got, want)
	}
	close(seen)
	if err := <-answer; err == nil || err.Error() != "dataset slow: "+broken.Error() {
		t.Errorf("the start: %v, want %v", err, broken)
	}
	if got := p.Reading(); got != nil {
		t.Errorf("after the start: %+v, want nothing", *got)
	}
}
