package disk

// Stamp tells one state of a file from another without reading it: whoever changes the
// file changes its stamp. The zero Stamp is of no file.
type Stamp struct {
	Size    int64
	Inode   uint64
	Written int64 // ns
	Changed int64 // ns; no program sets this one back
}
