package bridge

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"drolab/runner"
	"drolab/runner/bridge/internal/frame"
	"drolab/runner/data"
	"drolab/runner/internal/room"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// Description is what a program says of itself.
type Description struct {
	Data       *data.Dataset // without values: lengths, labels and groups
	Parameters int
	// Restart, Accumulate and Pick say which methods it can be trained with.
	Restart, Accumulate, Pick bool
	Ahead                     bool // it wants to hear of samples before it is asked about them
	StepsPerEpoch             int  // in a script; 0: whole batches of the training split
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

// greeting is the answer to hello.
type greeting struct {
	answer
	Version int `json:"version"`
	Samples struct {
		Train int `json:"train"`
		Test  int `json:"test"`
		Val   int `json:"val"`
	} `json:"samples"`
	Classes    []string          `json:"classes"`
	Groups     []string          `json:"groups"`
	Parameters int               `json:"parameters"`
	Restart    bool              `json:"restart"`
	Accumulate bool              `json:"accumulate"`
	Pick       bool              `json:"pick"`
	Ahead      *bool             `json:"ahead"`
	Packages   map[string]string `json:"packages"`
	Device     string            `json:"device"`
	measure.Sides
}

// MostBody implements frame.Sized: each sample has a label, and may have a group.
func (g *greeting) MostBody() int {
	most := mostLogged
	for _, n := range []int{g.Samples.Train, g.Samples.Val, g.Samples.Test} {
		most += 2 * 4 * max(0, min(n, mostSamples))
	}
	return min(most, frame.MostBody)
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
	share, err := room.Take(ctx, float64(d.labels), "the labels of "+s.named())
	d.Data.Release = func() error { share.Release(); return nil }
	return d, err
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
		append([]string{}, p.start.Program.Words...), s.Seed, s.Batch, p.start.Threads,
		p.start.Scratch}
	var g greeting
	arrays := p.ask(q, &g, "hello", described)
	if p.err != nil {
		return nil
	}
	d, err := g.describe(arrays)
	p.conn.Forget()
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
	settings := map[string]any{}
	if err := json.Unmarshal(text, &settings); err != nil {
		return nil, err
	}
	for key, value := range program.Own() {
		settings[key] = value
	}
	return settings, nil
}

// describe checks the answer and makes a Description of it.
func (g *greeting) describe(arrays []frame.Array) (*Description, error) {
	classes, err := names("classes", g.Classes)
	if err != nil {
		return nil, err
	}
	groups, err := names("groups", g.Groups)
	switch {
	case err != nil:
		return nil, err
	case g.Version != version:
		return nil, fmt.Errorf("it speaks version %d of the protocol: want %d", g.Version, version)
	case len(classes) == 0:
		return nil, errors.New("it has no classes: want the names of one or more")
	case g.Parameters < 0:
		return nil, fmt.Errorf("it has %d parameters", g.Parameters)
	case len(g.Higher)+len(g.Lower) > measure.MostUser:
		return nil, fmt.Errorf("it names the better side of %d values of its own: want at most %d",
			len(g.Higher)+len(g.Lower), measure.MostUser)
	case len(g.Packages) > mostPackages:
		return nil, fmt.Errorf("it names %d packages: want at most %d", len(g.Packages),
			mostPackages)
	}
	d := &Description{Parameters: g.Parameters, Restart: g.Restart, Accumulate: g.Accumulate,
		Pick: g.Pick, Ahead: g.Ahead == nil || *g.Ahead, Device: clean(g.Device, mostName),
		Packages: map[string]string{}, labels: g.MostBody(),
		Data: &data.Dataset{Name: spec.ProgramData, Classes: classes,
			Groups: groups, Grouped: len(groups) > 0}}
	if !d.Data.Grouped {
		d.Data.Groups = classes
	}
	if d.User, err = g.Sides.Clean(); err != nil {
		return nil, err
	}
	for name, v := range g.Packages {
		d.Packages[clean(name, mostName)] = clean(v, mostName)
	}
	return d, g.fill(d.Data, arrays)
}

// names checks and cleans the names of classes or groups.
func names(what string, list []string) ([]string, error) {
	if len(list) > mostKinds {
		return nil, fmt.Errorf("it has %d %s: want at most %d", len(list), what, mostKinds)
	}
	clear := make([]string, len(list))
	for i, name := range list {
		if clear[i] = clean(name, mostName); clear[i] == "" {
			return nil, fmt.Errorf("number %d of its %s has no name", i, what)
		}
	}
	return clear, nil
}

// fill takes the labels and groups of each split from the arrays.
func (g *greeting) fill(d *data.Dataset, arrays []frame.Array) error {
	each := 1
	if d.Grouped {
		each = 2
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %q\n", d.Classes, g.Groups)
	for _, split := range []struct {
		name string
		n    int
		to   *data.Source
	}{{runner.SplitTrain, g.Samples.Train, &d.Train}, {runner.SplitVal, g.Samples.Val, &d.Val},
		{runner.SplitTest, g.Samples.Test, &d.Test}} {
		switch {
		case split.n == 0 && split.name == runner.SplitVal:
			continue
		case split.n < 1 || split.n > mostSamples:
			return fmt.Errorf("its %s split has %d samples: want 1 to %d",
				split.name, split.n, mostSamples)
		case len(arrays) < each:
			return fmt.Errorf("no labels came for its %s split", split.name)
		}
		s := &samples{}
		var err error
		if s.labels, err = places(arrays[0], split.n, len(d.Classes)); err != nil {
			return fmt.Errorf("labels of its %s split: %w", split.name, err)
		}
		s.groups = s.labels
		if d.Grouped {
			if s.groups, err = places(arrays[1], split.n, len(d.Groups)); err != nil {
				return fmt.Errorf("groups of its %s split: %w", split.name, err)
			}
		}
		for _, a := range arrays[:each] {
			fmt.Fprintf(hash, "%s %d %s\n", split.name, len(a.Raw), a.Type)
			hash.Write(a.Raw)
		}
		*split.to, arrays = s, arrays[each:]
	}
	if len(arrays) > 0 {
		return fmt.Errorf("%d arrays too many came", len(arrays))
	}
	d.Checksum = fmt.Sprintf("sha256:%x", hash.Sum(nil))
	return nil
}

// places reads one number in [0, below) for each of n samples.
func places(a frame.Array, n, below int) ([]int32, error) {
	if a.Type != frame.Int32 {
		return nil, fmt.Errorf("they are of type %s: want %s", a.Type, frame.Int32)
	}
	if a.Len() != n {
		return nil, fmt.Errorf("%d numbers for %d samples", a.Len(), n)
	}
	list := make([]int32, n)
	return list, frame.Whole(a, list, below)
}

// samples is a split whose values only the program has.
type samples struct{ labels, groups []int32 }

// Len implements data.Source.
func (s *samples) Len() int { return len(s.labels) }

// Shape implements data.Source: there is nothing to read.
func (s *samples) Shape() data.Shape { return data.Shape{} }

// Label implements data.Source.
func (s *samples) Label(i int) int { return int(s.labels[i]) }

// Group implements data.Source.
func (s *samples) Group(i int) int { return int(s.groups[i]) }

// Read implements data.Source.
func (s *samples) Read([]float32, int) {}

// Lacks names the kind of program that a method needs if this one is not of that kind, else "".
func (d *Description) Lacks(restarts, moves, picks bool) string {
	var lacks []string
	for _, l := range []struct {
		wanted, able bool
		what         string
	}{{restarts, d.Restart, "go back to its start"}, {moves, d.Accumulate, "average gradients"},
		{picks, d.Pick, "keep a second copy of the network"}} {
		if l.wanted && !l.able {
			lacks = append(lacks, l.what)
		}
	}
	slices.Sort(lacks)
	if len(lacks) == 0 {
		return ""
	}
	return fmt.Sprintf("a program that can %s", lacks[0])
}
