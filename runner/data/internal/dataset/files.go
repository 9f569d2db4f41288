package dataset

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"time"
)

// FetchOptions configures Fetch; the zero value is fine.
type FetchOptions struct {
	// URL replaces the built-in addresses. It is the address of the one file, or of the folder with
	// the files.
	URL    string
	Client *http.Client // nil: http.DefaultClient
	// Progress is called on the goroutine of Fetch whenever bytes arrive: done of total bytes, over
	// all files.
	Progress func(done, total int64)
	Stall    time.Duration // how long to wait for the next byte; 0: 30 s
}

// Files are the files that Fetch brings into the data folder for a dataset.
type Files struct {
	Folder string   // of the dataset, below the data folder
	Remote []Remote // the files to download, one or more
	// There and Fetch are for a dataset whose files are not kept as they are downloaded. Without
	// them, the dataset is there if every Remote is, compressed or not, and Fetch downloads these
	// into Folder.
	There func(dir string) bool
	Fetch func(ctx context.Context, dir string, o FetchOptions) error
}

// There says whether the files of a dataset are in the data folder.
func There(f *Files, dir string) bool {
	if f.There != nil {
		return f.There(dir)
	}
	var names []string
	for _, r := range f.Remote {
		names = append(names, strings.TrimSuffix(r.Name, ".gz"))
	}
	return AllExist(filepath.Join(dir, f.Folder), names)
}

// AllExist says whether a folder has all files, plain or as .gz.
func AllExist(folder string, files []string) bool {
	for _, f := range files {
		if path := filepath.Join(folder, f); !Exists(path) && !Exists(path+".gz") {
			return false
		}
	}
	return true
}

// A Remote is one file to download.
type Remote struct {
	Name string   // of the file
	Size int64    // bytes
	Sum  string   // "sha256:" or "md5:" and hex digits
	URLs []string // the official address first, then mirrors
}
