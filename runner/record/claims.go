package record

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"drolab/runner"
	"drolab/runner/disk"
)

// claimsName has the claims of the studies that took a run over. They are not added to run.json,
// which never changes: every other file of the run names its hash. The file is written under the
// lock of labels, by whoever takes the run over, also while another process records the run.
const claimsName = "claims.json"

// mostClaims bounds the studies that may take over one run.
const mostClaims = 100

// claimsFile is the content of claims.json.
type claimsFile struct {
	Claims []runner.SealedClaims `json:"claims"`
}

// Claims returns the claims of the studies that started the run or took it over, in this order.
func (r *Run) Claims() ([]runner.SealedClaims, error) {
	if r.packed != nil {
		return r.Meta.Claims, nil
	}
	in, err := r.folder()
	if err != nil {
		return nil, runError(r.Meta.ID, err)
	}
	defer in.Close()
	later, err := readClaims(in)
	return slices.Concat(r.Meta.Claims, later), runError(r.Meta.ID, err)
}

// TakeOver adds the claims of a study that counts the run. A study that has an entry already keeps
// it as it is, whatever its claims are now.
func (r *Run) TakeOver(c runner.SealedClaims) error {
	if r.packed != nil {
		return fmt.Errorf("run %s is packed: restore it to take it over", r.Meta.ID)
	}
	c.TakenOver = true
	return runError(r.Meta.ID, r.alone(func(in *disk.Folder) error {
		later, err := readClaims(in)
		switch {
		case err != nil:
			return err
		case slices.ContainsFunc(slices.Concat(r.Meta.Claims, later),
			func(o runner.SealedClaims) bool { return o.SameStudy(&c) }):
			return nil
		case len(later) == mostClaims:
			return fmt.Errorf("%s has %d studies already", in.Join(claimsName), mostClaims)
		}
		all := claimsFile{append(later, c)}
		return disk.Explain(in.WriteSealed(claimsName, &all, nil), in.Path)
	}))
}

// readClaims returns none where there is no file.
func readClaims(in *disk.Folder) ([]runner.SealedClaims, error) {
	var all claimsFile
	err := in.ReadJSON(claimsName, &all)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case len(all.Claims) > mostClaims: // it may come from anybody
		return nil, fmt.Errorf("%s: %d studies, expected at most %d", in.Join(claimsName),
			len(all.Claims), mostClaims)
	}
	return all.Claims, nil
}
