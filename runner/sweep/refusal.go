package sweep

const refusedPrefix = "refused-"

// refusal says why a run could not begin. Such a run leaves no record itself.
type refusal struct {
	Cause string `json:"cause"`
}

// noteRefusal notes why a run could not begin; a nil cause notes that it could. Errors are ignored:
// a full disk is reported elsewhere, too.
func (f *Folder) noteRefusal(i int, cause error) {
	path := f.ownPath(refusedPrefix + f.List.Runs[i].ID)
	if cause == nil {
		f.files.Remove(path)
		return
	}
	f.files.Write(path, refusal{cause.Error()})
}

// refusalCause returns the noted cause, "" if there is none.
func (f *Folder) refusalCause(i int) string {
	path := f.ownPath(refusedPrefix + f.List.Runs[i].ID)
	var r refusal
	if _, err := f.readIfThere(path, &r); err != nil {
		return err.Error()
	}
	return r.Cause
}
