package data

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"drolab/runner/data/internal/download"
)

// Fetch makes sure that all files of a dataset are in the data folder dir, and downloads the
// missing ones; after it, Open finds the dataset. A downloaded file gets its name only with the
// right size and checksum. An interrupted download (by ctx or a broken connection) is kept aside,
// and the next call continues it.
func Fetch(ctx context.Context, name, dir string, o FetchOptions) error {
	list := slices.DeleteFunc(slices.Clone(providers()),
		func(p *Provider) bool { return p.Files == nil })
	i := slices.IndexFunc(list, func(p *Provider) bool { return p.Name == name })
	if i < 0 {
		return fmt.Errorf(
			"fetch %s: nothing to fetch under that name: choose %s", name, choice(list))
	}
	if err := load(ctx, list[i].Files, dir, o); err != nil {
		return fmt.Errorf("fetch %s: %w", name, err)
	}
	return nil
}

// load brings the files of a dataset into the data folder.
func load(ctx context.Context, f *Files, dir string, o FetchOptions) error {
	if f.Fetch != nil {
		return f.Fetch(ctx, dir, o)
	}
	return download.FetchFiles(ctx, filepath.Join(dir, f.Folder), f.Remote, o)
}
