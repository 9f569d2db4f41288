package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"drolab/runner/disk"
)

// runsFolder identifies a runs folder to both sides of a socket. Its path is for people: a folder
// has many paths, by links and mounts, and after a move a path leads to another folder. The number
// of the folder on its disk decides.
type runsFolder struct {
	Path   string `json:"path"`
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"` // 0 on systems without inodes: there the path decides
}

// folderAt returns the runs folder at a path.
func folderAt(path string) (f runsFolder, err error) {
	if f.Path, err = filepath.Abs(path); err == nil {
		f.Path, err = filepath.EvalSymlinks(f.Path)
	}
	if err != nil {
		return f, err
	}
	f.Device, f.Inode = disk.Identity(f.Path)
	return f, nil
}

// isSame reports whether two sides mean the same folder.
func (f runsFolder) isSame(other runsFolder) bool { return f.key() == other.key() }

// key returns the part of f that decides which folder it is.
func (f runsFolder) key() runsFolder {
	if f.Inode != 0 {
		f.Path = ""
	}
	return f
}

// name returns the name of the folder's sockets, without their extensions.
func (f runsFolder) name() string {
	sum := sha256.Sum256(fmt.Append(nil, f.key()))
	return hex.EncodeToString(sum[:8])
}

// gone reports whether the engine's folder was removed or moved, or another folder has its path. If
// this cannot be found out, it returns false.
func (e *engine) gone() bool {
	there, err := os.Stat(e.settings.RunsDir)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	mine, err := e.home.Stat()
	return err == nil && !os.SameFile(mine, there)
}
