package lab

import (
	"context"
	"fmt"

	"drolab/runner/box"
	"drolab/runner/record"
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
		return errOfBox(run.Mirrored().Box, "delete", id)
	}
	return f.CatalogueFolder.Delete(id)
}

// errOfBox is the error of a request to a run of a box.
func errOfBox(box, verb, id string) error {
	return fmt.Errorf("run %s is on box %s: ssh %[2]s .local/bin/drolab %s %[1]s", id, box, verb)
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
