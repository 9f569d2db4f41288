package lab

import (
	"context"
	"fmt"
	"strings"

	"drolab/runner"
	"drolab/runner/box"
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/kit"

	tea "charm.land/bubbletea/v2"
)

// boxedFolder is the Source of a folder and of the mirrors of boxes.
type boxedFolder struct {
	CatalogueFolder
	ctx   context.Context // of fetching: it ends with the interface
	boxes []box.Linked
	runs  *box.Runs
}

// WithBoxes returns a Source that also has the runs of boxes. Catalogues of their mirrors are in
// the folder cache.
func WithBoxes(ctx context.Context, f CatalogueFolder, boxes []box.Linked, cache string) Source {
	b := boxedFolder{CatalogueFolder: f, ctx: ctx, boxes: boxes, runs: box.NewRuns(f)}
	for _, x := range boxes {
		b.runs.Add(x.Name, OpenCatalogued(x.Dir, cache, false))
	}
	return b
}

// List implements Source.
func (f boxedFolder) List() ([]*record.Run, []error) { return f.runs.List() }

// Find implements Source.
func (f boxedFolder) Find(id string) (*record.Run, error) {
	run, err := f.CatalogueFolder.Find(id)
	if err == nil {
		return run, nil
	}
	for _, b := range f.boxes {
		far, wrong := record.Find(b.Dir, id)
		if wrong == nil && (run == nil || far.Held() && !run.Held()) {
			run = far
		}
	}
	if run != nil {
		return run, nil
	}
	return nil, err
}

// Delete implements Source.
func (f boxedFolder) Delete(id string) error {
	if run, err := f.Find(id); err == nil && run.Mirrored() != nil {
		return changeOn(f.boxes, run.Mirrored().Box, box.Change{Run: id, Delete: true})
	}
	return f.CatalogueFolder.Delete(id)
}

// changeOn changes the record of a run on its box.
func changeOn(boxes []box.Linked, name string, c box.Change) error {
	for _, b := range boxes {
		if b.Name == name {
			return b.Link.Change(c)
		}
	}
	return unknownBox(name).err()
}

// BoxNames returns the names of the boxes that are shown.
func (s *Lab) BoxNames() []string {
	return lists.Map(s.Config.Boxes, func(b box.Linked) string { return b.Name })
}

// BoxOf returns the name of the box that has a run; "" for a run of this machine.
func (s *Lab) BoxOf(id string) string { return s.far[id] }

// Unreached returns the reason why nothing can be asked now of the box that has a run; "" for a run
// of this machine, and for one of a box that is linked.
func (s *Lab) Unreached(id string) string {
	name := s.far[id]
	switch {
	case name == "":
		return ""
	case s.Config.ReadOnly:
		return "It is on box " + name + " and can only be watched here"
	case s.Link(name) == nil:
		return "It is on box " + name + ", which is not among those of --box"
	}
	if why := s.UnreachedBox(name); why != "" {
		return why + ": nothing was sent" // as the link says of what it is asked
	}
	return ""
}

// UnreachedBox returns the reason why nothing can be asked now of a box; "" for one that is linked,
// and for this machine, which is "".
func (s *Lab) UnreachedBox(name string) string {
	link := s.Link(name)
	switch {
	case name == "":
		return ""
	case link == nil:
		return unknownBox(name).err().Error()
	}
	return link.NoLink()
}

// Link returns the link of a box; nil for this machine, which is "".
func (s *Lab) Link(name string) *box.Link {
	for _, b := range s.Config.Boxes {
		if b.Name == name {
			return b.Link
		}
	}
	return nil
}

// verbsOn returns the Verbs of a box; "" is this machine.
func (s *Lab) verbsOn(name string) runner.Verbs {
	if name == "" || s.Config.ReadOnly {
		s.asked = true
		return s.Config.Verbs
	}
	if link := s.Link(name); link != nil {
		return link
	}
	return unknownBox(name)
}

// unknownBox is the Verbs of a box that has no link.
type unknownBox string

func (b unknownBox) err() error { return fmt.Errorf("box %s: give --box %[1]s", string(b)) }

// Start implements runner.Verbs.
func (b unknownBox) Start(runner.Request) ([]string, error) { return nil, b.err() }

// CarryOut implements runner.Verbs.
func (b unknownBox) CarryOut(runner.Order) (int64, error) { return 0, b.err() }

// Relabel changes the label of a run, on the machine that has it. It is called from commands.
func (s *Lab) Relabel(r *record.Run, e record.LabelEdit) error {
	far := r.Mirrored()
	if far == nil {
		return r.Relabel(e.Apply)
	}
	return changeOn(s.Config.Boxes, far.Box, box.Change{Run: r.Meta.ID, Label: &e})
}

// ForkOf returns the settings of a fork from a checkpoint of a run, wherever it is. It is called
// from commands.
func (s *Lab) ForkOf(r *record.Run, step int64) (spec.Spec, error) {
	if far := r.Mirrored(); far != nil {
		if link := s.Link(far.Box); link != nil {
			return link.Settings(r.Meta.ID, step)
		}
		return spec.Spec{}, unknownBox(far.Box).err()
	}
	defer r.Hold()()
	past, err := r.Past(step)
	if err != nil {
		return spec.Spec{}, err
	}
	return past.Fork()
}

// heeding returns a command that begins training on a box. Where a logout there would end the runs,
// which is the one way in which a lost link could, the user is asked first, once for each box.
func (s *Lab) heeding(name string, begin tea.Cmd) tea.Cmd {
	advice := ""
	if link := s.Link(name); link != nil && link.State().Hello != nil {
		advice = link.State().Hello.Advice
	}
	if advice == "" || s.heeded[name] {
		return begin
	}
	if s.heeded == nil {
		s.heeded = map[string]bool{}
	}
	s.heeded[name] = true
	heeded := Heeded{Starting: s.Starting, Begin: begin}
	s.Starting = "" // nothing is asked for before the answer
	lines := []string{"On box " + cell.OneLine(name) + ", the end of the link may end the runs:"}
	for line := range strings.Lines(advice) {
		lines = append(lines, kit.Wrap(cell.OneLine(line), 72)...)
	}
	return kit.Send(kit.Open{Overlay: kit.NewQuestion("Start there all the same?", lines,
		kit.Answer{Keys: []string{"y"}, Name: "start", Then: kit.Send(heeded)})})
}

// Changes implements changer.
func (f boxedFolder) Changes() (n int64) {
	for _, b := range f.boxes {
		n += b.Link.State().Changes
	}
	return n
}

// changesOf returns 0 for a Source whose runs change with its folder only.
func changesOf(s Source) int64 {
	if c, ok := Unwrap(s).(changer); ok {
		return c.Changes()
	}
	return 0
}

// changer is a Source whose runs change without a change of the folder of runs.
type changer interface {
	Changes() int64 // counted
}

// fetcher is a Source that may lack the logs of some of its runs.
type fetcher interface {
	want(run *record.Run)
	fetch(runs []*record.Run)
}

func (f boxedFolder) want(run *record.Run) {
	for _, b := range f.boxes {
		if run.Mirrored() != nil && run.Mirrored().Box == b.Name && !run.LogIsHere() {
			b.Link.Want(run.Meta.ID)
		}
	}
}

func (f boxedFolder) fetch(runs []*record.Run) {
	for _, b := range f.boxes {
		var ids []string
		for _, run := range runs {
			if run.Mirrored() != nil && run.Mirrored().Box == b.Name && !run.LogIsHere() {
				ids = append(ids, run.Meta.ID)
			}
		}
		if len(ids) > 0 {
			b.Link.Fetch(f.ctx, ids...)
		}
	}
}

// Want asks for the log of a run that is to be watched: where the log is on a box, it comes by and
// by.
func Want(s Source, run *record.Run) {
	if f, ok := Unwrap(s).(fetcher); ok {
		f.want(run)
	}
}

// Fetch waits until the logs of the runs are on this machine, or cannot come. Commands call it.
func Fetch(s Source, runs []*record.Run) {
	if f, ok := Unwrap(s).(fetcher); ok {
		f.fetch(runs)
	}
}

// Wrapper is a Source that adds something to another one.
type Wrapper interface{ Unwrap() Source }

// Unwrap returns the innermost Source.
func Unwrap(s Source) Source {
	for {
		w, ok := s.(Wrapper)
		if !ok {
			return s
		}
		s = w.Unwrap()
	}
}
