package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/internal/memory"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// Description is what a program says of itself.
type Description struct {
	Data       *data.Dataset // without values: lengths, labels and groups
	Parameters int
	// Restart, Accumulate and Pick say which methods it can be trained with.
	Restart, Accumulate, Pick bool
	Ahead                     bool     // it wants to hear of samples before it is asked about them
	Forms                     []string // kinds of forms by which it takes whole steps
	Features                  int      // that enter its last layer; 0: it does not show the layer
	StepsPerEpoch             int      // in a script; 0: whole batches of the training split
	Device                    string
	Packages                  map[string]string // versions by name
	User                      measure.Sides     // its own values that are better higher, or lower
	labels                    int               // bytes of its labels and groups
}

// hello is the first question.
type hello struct {
	Do        string         `json:"do"`
	Version   int            `json:"version"`
	Purpose   string         `json:"purpose"`
	Settings  map[string]any `json:"settings"`
	Arguments []string       `json:"arguments"`
	Seed      uint64         `json:"seed"`
	Batch     int            `json:"batch"`
	Threads   int            `json:"threads"`
	Scratch   string         `json:"scratch"`
}

// helloAnswer is the answer to hello.
type helloAnswer struct {
	answer
	Traits
	Accumulate bool     `json:"accumulate"`
	Pick       bool     `json:"pick"`
	Ahead      *bool    `json:"ahead"`
	Procs      bool     `json:"procs"`
	Forms      []string `json:"forms"`
	Features   int      `json:"features"`
}

// Traits are what a program and a script say of themselves in the same members.
type Traits struct {
	Version    int               `json:"version"`
	Samples    map[string]int    `json:"samples"` // by the names of the splits
	Classes    []string          `json:"classes"`
	Groups     []string          `json:"groups"`
	Parameters int               `json:"parameters"`
	Restart    bool              `json:"restart"`
	Packages   map[string]string `json:"packages"`
	Device     string            `json:"device"`
	measure.Sides
}

// MostBody implements bodyLimiter: each sample has a label, and may have a group.
func (g *helloAnswer) MostBody() int {
	most := mostLogged
	for _, split := range runner.Splits() {
		most += 2 * 4 * max(0, min(g.Samples[split], mostSamples))
	}
	return min(most, MostBody)
}

// Limits of a description.
const (
	mostSamples  = 1 << 27
	mostKinds    = 100_000 // classes or groups
	mostName     = 200     // runes
	mostPackages = 100
)

// Describe starts a program to ask what it has, and ends it. The error is about the start of the
// program, about its answer, or the cause of ctx.
func Describe(ctx context.Context, s Start) (*Description, error) {
	s.Purpose = Describing
	p, err := launch(s)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	defer context.AfterFunc(ctx, p.kill)()
	d := p.hello()
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("asking %s what it has was stopped: %w", s.named(), err)
	}
	if p.Err() != nil {
		return nil, p.Err()
	}
	share, err := memory.Reserve(ctx, float64(d.labels), "the labels of "+s.named())
	if err != nil {
		return nil, err
	}
	d.Data.Release = share.Release
	return d, nil
}

// hello asks what the program has. It returns nil after a failure.
func (p *Program) hello() *Description {
	s := p.start.Spec
	settings, err := settingsOf(s, p.start.Program)
	if err != nil {
		p.fail("hello", err)
		return nil
	}
	q := hello{"hello", version, p.start.Purpose, settings,
		append([]string{}, p.start.Program.Words...), s.Seed, s.Batch,
		max(1, p.start.Threads/len(p.ranks)), p.start.Scratch}
	all := make([]helloAnswer, len(p.ranks))
	for i := range all {
		p.heads[i] = &all[i]
	}
	arrays := p.request(q, &all[0], "hello", helloSize)
	p.agree()
	if p.err != nil {
		return nil
	}
	d, err := all[0].describe(arrays)
	if n := p.start.Procs; err == nil && n > 1 && !all[0].Procs {
		err = fmt.Errorf("it does not compute in several processes, as a program with "+
			"drolab.torch does: leave out procs=%d", n)
	}
	for i, r := range p.ranks {
		p.heads[i] = &answer{}
		r.conn.Forget()
	}
	if err != nil {
		p.fail("hello", err)
		return nil
	}
	return d
}

// settingsOf returns the run's settings by their keys, and the program's own words.
func settingsOf(s *spec.Spec, program spec.Program) (map[string]any, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var values map[string]json.RawMessage // as they are: a float64 would round a large seed
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, err
	}
	settings := map[string]any{}
	for key, value := range values {
		settings[key] = value
	}
	for key, value := range program.Own() {
		settings[key] = value
	}
	return settings, nil
}

// describe checks the answer and makes a Description of it.
func (g *helloAnswer) describe(arrays []Array) (*Description, error) {
	d, err := g.Traits.describe()
	switch {
	case err != nil:
		return nil, err
	case g.Version != version:
		return nil, fmt.Errorf("it speaks version %d of the protocol: expected %d", g.Version,
			version)
	case len(g.Classes) == 0:
		return nil, errors.New("it has no classes: expected the names of one or more")
	case g.Features < 0 || g.Features > MostBody/8/len(g.Classes)-1:
		return nil, fmt.Errorf("it has %d features: expected a last layer of at most %d bytes",
			g.Features, MostBody)
	}
	d.Accumulate, d.Pick, d.Ahead = g.Accumulate, g.Pick, g.Ahead == nil || *g.Ahead
	d.Forms, d.Features, d.labels = g.Forms, g.Features, g.MostBody()
	return d, g.fill(d.Data, arrays)
}

// describe checks the traits and makes a Description of them, whose data have no splits yet.
func (t *Traits) describe() (*Description, error) {
	classes, err := cleanNames("classes", t.Classes)
	if err != nil {
		return nil, err
	}
	groups, err := cleanNames("groups", t.Groups)
	switch {
	case err != nil:
		return nil, err
	case t.Parameters < 0:
		return nil, fmt.Errorf("it has %d parameters: expected how many its network has",
			t.Parameters)
	case len(t.Higher)+len(t.Lower) > measure.MostUser:
		return nil, fmt.Errorf("it names the better side of %d values of its own: expected at "+
			"most %d",
			len(t.Higher)+len(t.Lower), measure.MostUser)
	case len(t.Packages) > mostPackages:
		return nil, fmt.Errorf("it names %d packages: expected at most %d", len(t.Packages),
			mostPackages)
	}
	d := &Description{Parameters: t.Parameters, Restart: t.Restart,
		Device: runner.OneLine(t.Device, mostName), Packages: map[string]string{},
		Data: &data.Dataset{Name: spec.ProgramData, Classes: classes, Groups: groups,
			Grouped: len(groups) > 0}}
	if !d.Data.Grouped {
		d.Data.Groups = classes
	}
	for name, v := range t.Packages {
		d.Packages[runner.OneLine(name, mostName)] = runner.OneLine(v, mostName)
	}
	d.User, err = t.Sides.Clean()
	return d, err
}

// reader returns the n samples of a split, and writes what identifies them to hash.
type reader func(hash io.Writer, split string, n int) (data.Source, error)

// fill gives d its splits, and a checksum of a text that begins with what.
func (t *Traits) fill(d *data.Dataset, what string, read reader) error {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s%q %q\n", what, d.Classes, t.Groups)
	for _, split := range []struct {
		name string
		to   *data.Source
	}{{runner.SplitTrain, &d.Train}, {runner.SplitVal, &d.Val}, {runner.SplitTest, &d.Test}} {
		n := t.Samples[split.name]
		if n == 0 && split.name == runner.SplitVal {
			continue
		}
		if n < 0 || n > mostSamples {
			return fmt.Errorf("its %s split has %d samples: expected 1 to %d", split.name, n,
				mostSamples)
		}
		var err error
		if *split.to, err = read(hash, split.name, n); err != nil {
			return err
		}
	}
	d.Checksum = fmt.Sprintf("sha256:%x", hash.Sum(nil))
	return nil
}

// cleanNames checks and cleans the names of classes or groups.
func cleanNames(what string, list []string) ([]string, error) {
	if len(list) > mostKinds {
		return nil, fmt.Errorf("it has %d %s: expected at most %d", len(list), what, mostKinds)
	}
	cleaned := make([]string, len(list))
	for i, name := range list {
		cleaned[i] = runner.OneLine(name, mostName)
		if cleaned[i] == "" {
			return nil, fmt.Errorf("number %d of its %s has no name", i, what)
		}
	}
	return cleaned, nil
}

// fill takes the labels and groups of each split from the arrays.
func (g *helloAnswer) fill(d *data.Dataset, arrays []Array) error {
	each := 1
	if d.Grouped {
		each = 2
	}
	err := g.Traits.fill(d, "", func(hash io.Writer, split string, n int) (data.Source, error) {
		switch {
		case n == 0:
			return nil, fmt.Errorf("its %s split has no samples", split)
		case len(arrays) < each:
			return nil, fmt.Errorf("no labels came for its %s split", split)
		}
		s := &labelledSplit{}
		var err error
		if s.labels, err = readPlaces(arrays[0], n, len(d.Classes)); err != nil {
			return nil, fmt.Errorf("labels of its %s split: %w", split, err)
		}
		s.groups = s.labels
		if d.Grouped {
			if s.groups, err = readPlaces(arrays[1], n, len(d.Groups)); err != nil {
				return nil, fmt.Errorf("groups of its %s split: %w", split, err)
			}
		}
		for _, a := range arrays[:each] {
			fmt.Fprintf(hash, "%s %d %s\n", split, len(a.Raw), a.Type)
			hash.Write(a.Raw)
		}
		arrays = arrays[each:]
		return s, nil
	})
	if err == nil && len(arrays) > 0 {
		err = fmt.Errorf("%d arrays too many came", len(arrays))
	}
	return err
}

// readPlaces reads one number in [0, below) for each of n samples.
func readPlaces(a Array, n, below int) ([]int32, error) {
	if a.Type != Int32 {
		return nil, fmt.Errorf("they are of type %s: expected %s", a.Type, Int32)
	}
	if a.Len() != n {
		return nil, fmt.Errorf("%d numbers for %d samples", a.Len(), n)
	}
	list := make([]int32, n)
	return list, readWhole(a, list, below)
}

// noValues is the part of a split whose values only the program has: there is nothing to read.
type noValues struct{}

// Shape implements data.Source.
func (noValues) Shape() data.Shape { return data.Shape{} }

// Read implements data.Source.
func (noValues) Read([]float32, int) {}

// labelledSplit is a split of which the labels and groups are known.
type labelledSplit struct {
	noValues
	labels, groups []int32
}

// Len implements data.Source.
func (s *labelledSplit) Len() int { return len(s.labels) }

// Label implements data.Source.
func (s *labelledSplit) Label(i int) int { return int(s.labels[i]) }

// Group implements data.Source.
func (s *labelledSplit) Group(i int) int { return int(s.groups[i]) }

// Lacks names the kind of program that a method needs if this one is not of that kind, else "".
func (d *Description) Lacks(restarts, moves, picks bool) string {
	switch {
	case moves && !d.Accumulate:
		return "a program that can average gradients"
	case restarts && !d.Restart:
		return "a program that can go back to its start"
	case picks && !d.Pick:
		return "a program that can keep a second copy of the network (with \"pick\" in its offers)"
	}
	return ""
}
