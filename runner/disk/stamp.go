package disk

// Stamp identifies a state of a file without its content: any change of the file changes its stamp.
// The zero Stamp stands for a file that does not exist.
type Stamp struct {
	Size    int64
	Inode   uint64
	Written int64 // ns
	Changed int64 // ns; no program can set this time back
}
