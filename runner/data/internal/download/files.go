package download

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"drolab/runner/data/internal/dataset"
)

// FetchFiles loads files into a folder.
func FetchFiles(ctx context.Context, folder string, files []dataset.Remote,
	o dataset.FetchOptions) error {
	d := &downloader{
		client: cmp.Or(o.Client, http.DefaultClient), folder: folder, stall: cmp.Or(o.Stall,
			30*time.Second),
	}
	total, before := TotalSize(files), int64(0)
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

// addressOf returns the address of a file. url is the address of the file itself or of its folder.
func addressOf(url, file string) string {
	if strings.HasSuffix(url, ".gz") {
		return url
	}
	return strings.TrimSuffix(url, "/") + "/" + file
}

func TotalSize(files []dataset.Remote) int64 {
	total := int64(0)
	for _, r := range files {
		total += r.Size
	}
	return total
}
