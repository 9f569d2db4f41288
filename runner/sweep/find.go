package sweep

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"drolab/runner/record"
)

// FindUnder lists the folders of sweeps in a runs folder: the runs folder itself if it is a
// sweep's, otherwise the sweeps' folders in it, the last changed first.
func FindUnder(dir string) (dirs []string) {
	if record.IsSweep(dir) {
		return []string{dir}
	}
	changed := map[string]time.Time{}
	lists, _ := fs.Glob(os.DirFS(dir), "*/"+listName) // the pattern is well formed
	for _, path := range lists {
		one := filepath.Join(dir, filepath.Dir(path))
		if info, err := os.Stat(filepath.Join(one, listName)); err == nil {
			changed[one] = info.ModTime()
			dirs = append(dirs, one)
		}
	}
	slices.SortStableFunc(dirs, func(a, b string) int { return changed[b].Compare(changed[a]) })
	return dirs
}
