package box

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"drolab/runner/record"
)

// Runs are the runs of this machine and of its boxes, as the mirrors have them. A run that is in
// several places counts once: two boxes may share a home, and a run may have been copied.
type Runs struct {
	own   Lister
	boxes []mirrored
}

// Lister lists the runs of a folder.
type Lister interface {
	List() (runs []*record.Run, problems []error)
}

type mirrored struct {
	name string
	Lister
}

// NewRuns returns the runs that own lists.
func NewRuns(own Lister) *Runs { return &Runs{own: own} }

// Add adds the runs of a box, which its mirror lists.
func (r *Runs) Add(box string, mirror Lister) { r.boxes = append(r.boxes, mirrored{box, mirror}) }

// List returns every run, newest first, and an error for each that cannot be shown.
func (r *Runs) List() (runs []*record.Run, problems []error) {
	runs, problems = r.own.List()
	places := make(map[string]int, len(runs)) // in runs
	for i, run := range runs {
		places[run.Meta.ID] = i
	}
	for _, b := range r.boxes {
		more, wrong := b.List()
		for _, err := range wrong {
			problems = append(problems, fmt.Errorf("box %s: %w", b.name, err))
		}
		for _, run := range more {
			at, twice := places[run.Meta.ID]
			switch {
			case !twice:
				places[run.Meta.ID] = len(runs)
				runs = append(runs, run)
			case !sameRun(runs[at], run):
				problems = append(problems, fmt.Errorf(
					"box %s: run %s is another run than that of this name %s: it is not shown",
					b.name, run.Meta.ID, where(runs[at])))
			case runs[at].Mirrored() != nil && run.Held() && !runs[at].Held():
				runs[at] = run // its box records it
			}
		}
	}
	record.NewestFirst(runs)
	return runs, problems
}

// where says where a run is.
func where(r *record.Run) string {
	if m := r.Mirrored(); m != nil {
		return "on box " + m.Box
	}
	return "here"
}

// sameRun reports whether two runs of one name have the same run.json.
func sameRun(a, b *record.Run) bool {
	one, err := hashOfMeta(a)
	two, wrong := hashOfMeta(b)
	return err == nil && wrong == nil && one == two
}

func hashOfMeta(r *record.Run) ([sha256.Size]byte, error) {
	text, err := os.ReadFile(filepath.Join(r.Dir, "run.json"))
	return sha256.Sum256(text), err
}

// Find returns the run of this exact name, wherever it is.
func (r *Runs) Find(id string) (*record.Run, error) {
	runs, _ := r.List()
	for _, run := range runs {
		if run.Meta.ID == id {
			return record.Find("", run.Dir)
		}
	}
	return nil, fmt.Errorf("run %s: %w", id, fs.ErrNotExist)
}
