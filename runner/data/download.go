package data

import (
	"cmp"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"drolab/runner/internal/atomicfile"
	"drolab/runner/lists"
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

// AreIn says whether the files of a dataset are in the data folder.
func (f *Files) AreIn(dir string) bool {
	if f.There != nil {
		return f.There(dir)
	}
	names := lists.Map(f.Remote, func(r Remote) string { return strings.TrimSuffix(r.Name, ".gz") })
	return AllExist(filepath.Join(dir, f.Folder), names)
}

// Bring brings the files of a dataset into the data folder.
func (f *Files) Bring(ctx context.Context, dir string, o FetchOptions) error {
	if f.Fetch != nil {
		return f.Fetch(ctx, dir, o)
	}
	return FetchFiles(ctx, filepath.Join(dir, f.Folder), f.Remote, o)
}

// AllExist says whether a folder has all files, plain or as .gz.
func AllExist(folder string, files []string) bool {
	for _, f := range files {
		path := filepath.Join(folder, f)
		if !Exists(path) && !Exists(path+".gz") {
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

var errStall = errors.New("no data came")

// downloader brings remotes into one folder. A file grows as NAME.part and gets its name once its
// size and checksum are right, so that a file of that name is always whole. Two processes must not
// download into one folder at the same time; if they do, the checksum reveals it.
type downloader struct {
	client   *http.Client
	folder   string
	stall    time.Duration // longest wait for the next byte
	progress func(loaded int64)
}

func (d *downloader) path(r Remote) string { return filepath.Join(d.folder, r.Name) }
func (d *downloader) part(r Remote) string { return d.path(r) + ".part" }

// probe makes the folder and a file in it, because permissions alone do not tell.
func probe(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(folder, ".probe-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// download makes sure that the file is there and right, trying one address after the other.
func (d *downloader) download(ctx context.Context, r Remote) error {
	if verify(d.path(r), r) == nil {
		d.progress(r.Size)
		return nil
	}
	if err := probe(d.folder); err != nil {
		return fmt.Errorf("the data folder %s cannot be written: %w: choose another with "+
			"--data DIR", d.folder, err)
	}
	var failed []string
	for _, url := range r.URLs {
		err := d.downloadFrom(ctx, url, r)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf(
				"%s: interrupted, %d of %d bytes are kept in %s: the same command continues "+
					"from there: %w",
				r.Name, FileSize(d.part(r)), r.Size, d.part(r), ctx.Err())
		}
		failed = append(failed, fmt.Sprintf("%s: %v", url, err))
	}
	return fmt.Errorf("%s: %s: try later or give another address with --url", r.Name,
		strings.Join(failed, "; "))
}

// downloadFrom downloads from one address. After a broken connection it continues, as long as each
// attempt brings more bytes.
func (d *downloader) downloadFrom(ctx context.Context, url string, r Remote) error {
	for {
		before := FileSize(d.part(r))
		err := d.load(ctx, url, r)
		if err == nil {
			return d.accept(r)
		}
		broke := errors.Is(err, io.ErrUnexpectedEOF)
		if ctx.Err() != nil || !broke || FileSize(d.part(r)) <= before {
			return err
		}
	}
}

// load makes one request for the bytes that the partial file lacks, and appends them.
// io.ErrUnexpectedEOF says that the connection ended early.
func (d *downloader) load(ctx context.Context, url string, r Remote) error {
	have := FileSize(d.part(r))
	if have > r.Size {
		have = 0
	}
	if have == r.Size {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(d.stall, func() { cancel(errStall) })
	defer watch.Stop()
	resp, err := d.request(ctx, url, have)
	if err != nil {
		return d.reason(ctx, err)
	}
	defer resp.Body.Close()
	from, err := startOf(resp, have, r.Size)
	if err != nil {
		return err
	}
	return d.reason(ctx, d.save(resp.Body, from, r, func() { watch.Reset(d.stall) }))
}

// request asks for the bytes from have on, or from the start if the server cannot do that.
func (d *downloader) request(ctx context.Context, url string, have int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept-Encoding", "identity") // the .gz itself, not its content
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	resp, err := d.client.Do(req)
	if err != nil || have == 0 || rangeHonoured(resp, have) {
		return resp, err
	}
	switch resp.StatusCode {
	case http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable:
		resp.Body.Close()
		return d.request(ctx, url, 0)
	}
	return resp, nil
}

// rangeHonoured says whether the answer starts at byte have.
func rangeHonoured(resp *http.Response, have int64) bool {
	return resp.StatusCode == http.StatusPartialContent &&
		strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have))
}

// startOf returns the place in the file of the answer's first byte, or an error if the answer is of
// no use.
func startOf(resp *http.Response, have, size int64) (int64, error) {
	from := int64(0)
	if rangeHonoured(resp, have) {
		from = have
	} else if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("the server answers %s", resp.Status)
	}
	if n := resp.ContentLength; n >= 0 && from+n != size {
		return 0, fmt.Errorf("the server has %d bytes, the file has %d", from+n, size)
	}
	return from, nil
}

// save writes body into the partial file from a place on, up to the file's size, and calls alive
// for every piece.
func (d *downloader) save(body io.Reader, from int64, r Remote, alive func()) error {
	f, err := os.OpenFile(d.part(r), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(from); err != nil {
		return err
	}
	buf := make([]byte, 64<<10)
	for at := from; ; {
		n, err := body.Read(buf[:min(int64(len(buf)), r.Size-at)])
		if n > 0 {
			alive()
		}
		if _, err := f.WriteAt(buf[:n], at); err != nil {
			return err
		}
		at += int64(n)
		d.progress(at)
		switch {
		case at == r.Size:
			return f.Sync()
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf(
				"the connection ended at byte %d of %d: %w", at, r.Size, io.ErrUnexpectedEOF)
		case err != nil:
			return err
		}
	}
}

// reason returns the cause of a cancelled request instead of the bare cancellation.
func (d *downloader) reason(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errStall) {
		return fmt.Errorf("%w for %v", errStall, d.stall)
	}
	return err
}

// accept checks the whole partial file and gives it its name. A wrong one is removed, so that the
// next try starts anew.
func (d *downloader) accept(r Remote) error {
	if err := verify(d.part(r), r); err != nil {
		os.Remove(d.part(r))
		return err
	}
	if err := os.Rename(d.part(r), d.path(r)); err != nil {
		return err
	}
	return atomicfile.Sync(d.folder)
}

// verify compares size and checksum of a file.
func verify(path string, r Remote) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	kind, want, _ := strings.Cut(r.Sum, ":")
	var h hash.Hash = sha256.New()
	if kind == "md5" {
		// This is what the dataset's authors publish: it guards against damage, not forgery.
		h = md5.New()
	}
	n, err := io.Copy(h, f)
	if err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); n != r.Size || got != want {
		return fmt.Errorf(
			"the file has %d bytes and %s %s, not %d and %s", n, kind, got, r.Size, want)
	}
	return nil
}

// FileSize returns the size of a file, 0 if there is none.
func FileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// FetchFiles loads files into a folder.
func FetchFiles(ctx context.Context, folder string, files []Remote, o FetchOptions) error {
	d := &downloader{client: cmp.Or(o.Client, http.DefaultClient), folder: folder,
		stall: cmp.Or(o.Stall, 30*time.Second)}
	total := TotalSize(files)
	var before int64
	for _, r := range files {
		if o.URL != "" {
			r.URLs = []string{addressOf(o.URL, r.Name)}
		}
		d.progress = func(loaded int64) {
			if o.Progress != nil {
				o.Progress(before+loaded, total)
			}
		}
		if err := d.download(ctx, r); err != nil {
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

// TotalSize returns the number of bytes of all files.
func TotalSize(files []Remote) (n int64) {
	for _, r := range files {
		n += r.Size
	}
	return n
}
