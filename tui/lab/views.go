package lab

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"drolab/runner/disk"
)

// Views are the choices of each page, by its title, for one folder of runs.
type Views map[string]map[string][]string

// mostViews is the maximum size of the file of views, in bytes.
const mostViews = 1 << 16

// Same reports whether two views are alike.
func (v Views) Same(o Views) bool {
	return maps.EqualFunc(v, o, func(a, b map[string][]string) bool {
		return maps.EqualFunc(a, b, slices.Equal[[]string])
	})
}

// viewsFile returns the path of the file with the views of a folder of runs; in is a folder of this
// user.
func viewsFile(in, runs string) string {
	if abs, err := filepath.Abs(runs); err == nil {
		runs = abs
	}
	return filepath.Join(in, fmt.Sprintf("%x", sha256.Sum256([]byte(runs)))[:32])
}

// ReadViews reads the views of a folder of runs; none if they were never kept.
func ReadViews(in, runs string) (v Views, err error) {
	path := viewsFile(in, runs)
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case info.Size() > mostViews:
		return nil, fmt.Errorf("%s: %d bytes are too many", path, info.Size())
	}
	err = disk.Files{}.Read(path, &v)
	return v, err
}

// WriteViews writes the views of a folder of runs.
func WriteViews(in, runs string, v Views) error {
	files := disk.Files{}
	if err := files.Folder(in); err != nil {
		return err
	}
	return files.Write(viewsFile(in, runs), v)
}
