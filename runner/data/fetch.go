package data

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// FetchOptions configures Fetch; the zero value is fine.
type FetchOptions struct {
	// URL replaces the built-in addresses: that of the one file, or of the folder with the files.
	URL    string
	Client *http.Client // nil: http.DefaultClient
	// Progress is called, by the goroutine of Fetch, whenever bytes came: done of total, over all files.
	Progress func(done, total int64)
	Stall    time.Duration // how long to wait for the next byte; 0: 30 s
}

// Files are those that Fetch brings into the data folder for a dataset.
type Files struct {
	Folder string   // of the dataset, below the data folder
	Remote []Remote // what is loaded, one or more
	// There and Fetch are for a dataset that lies otherwise than it comes. Without them it is there if every
	// Remote is, compressed or not, and Fetch loads these into Folder.
	There func(dir string) bool
	Fetch func(ctx context.Context, dir string, o FetchOptions) error
}

func (f *Files) there(dir string) bool {
	if f.There != nil {
		return f.There(dir)
	}
	var names []string
	for _, r := range f.Remote {
		names = append(names, strings.TrimSuffix(r.Name, ".gz"))
	}
	return allExist(filepath.Join(dir, f.Folder), names)
}

// allExist says whether a folder has all files, plain or as .gz.
func allExist(folder string, files []string) bool {
	for _, f := range files {
		if path := filepath.Join(folder, f); !exists(path) && !exists(path+".gz") {
			return false
		}
	}
	return true
}

func (f *Files) fetch(ctx context.Context, dir string, o FetchOptions) error {
	if f.Fetch != nil {
		return f.Fetch(ctx, dir, o)
	}
	return fetchFiles(ctx, filepath.Join(dir, f.Folder), f.Remote, o)
}

// Fetch makes sure that a dataset's files lie whole in the data folder dir, loading what lacks; after it,
// Open finds the dataset. What it loads gets its name only with the right size and checksum. A load that is
// interrupted (by ctx or a broken connection) is kept aside, and the next call goes on with it.
func Fetch(ctx context.Context, name, dir string, o FetchOptions) error {
	list := slices.DeleteFunc(slices.Clone(providers()), func(p *Provider) bool { return p.Files == nil })
	i := slices.IndexFunc(list, func(p *Provider) bool { return p.Name == name })
	if i < 0 {
		return fmt.Errorf("fetch %s: nothing to fetch under that name: choose %s", name, choice(list))
	}
	if err := list[i].Files.fetch(ctx, dir, o); err != nil {
		return fmt.Errorf("fetch %s: %w", name, err)
	}
	return nil
}

// fetchFiles loads files into a folder.
func fetchFiles(ctx context.Context, folder string, files []Remote, o FetchOptions) error {
	d := &downloader{
		client: cmp.Or(o.Client, http.DefaultClient), folder: folder, stall: cmp.Or(o.Stall, 30*time.Second),
	}
	total, before := totalSize(files), int64(0)
	for _, r := range files {
		if o.URL != "" {
			r.URLs = []string{addressOf(o.URL, r.Name)}
		}
		d.progress = func(loaded int64) {
			if o.Progress != nil {
				o.Progress(before+loaded, total)
			}
		}
		if err := d.get(ctx, r); err != nil {
			return err
		}
		before += r.Size
	}
	return nil
}

// addressOf gives the address of a file, given that of the file or of its folder.
func addressOf(url, file string) string {
	if strings.HasSuffix(url, ".gz") {
		return url
	}
	return strings.TrimSuffix(url, "/") + "/" + file
}

func totalSize(files []Remote) int64 {
	total := int64(0)
	for _, r := range files {
		total += r.Size
	}
	return total
}
