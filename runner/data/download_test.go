package data_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "drolab/dro/memtest"
	"drolab/runner/data"
)

// payload is the file on the test servers; it is large enough for several reads.
var payload = bytes.Repeat([]byte("0123456789abcdef"), 20000)

// site is a loopback server that notes the Range of every request.
type site struct {
	*httptest.Server
	ranges []string
}

// serve starts a server whose n-th request is answered by the n-th handler, later ones by the last.
func serve(t *testing.T, handlers ...http.HandlerFunc) *site {
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := handlers[min(len(s.ranges), len(handlers)-1)]
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// good serves the payload and honours Range.
func good(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "file", time.Time{}, bytes.NewReader(payload))
}

// cutAt promises the whole payload and ends the connection after n bytes.
func cutAt(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(payload)))
		w.Write(payload[:n])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// whole ignores Range.
func whole(w http.ResponseWriter, _ *http.Request) { w.Write(payload) }

// status answers with a status alone.
func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// job is one file to fetch, into a new folder.
type job struct {
	file   data.Remote
	folder string
}

func newJob(t *testing.T, urls ...string) job {
	sum := md5.Sum(payload)
	return job{data.Remote{Name: "file.gz", Size: int64(len(payload)), Sum: "md5:" +
		hex.EncodeToString(sum[:]),
		URLs: urls}, t.TempDir()}
}

func (j job) run(ctx context.Context, o data.FetchOptions) error {
	return data.FetchFiles(ctx, j.folder, []data.Remote{j.file}, o)
}

func (j job) path() string { return filepath.Join(j.folder, j.file.Name) }

// leave writes a partial file of n good bytes.
func (j job) leave(t *testing.T, n int) {
	t.Helper()
	if err := os.WriteFile(j.path()+".part", payload[:n], 0o666); err != nil {
		t.Fatal(err)
	}
}

// done checks that the file is there, without its partial file.
func (j job) done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(j.path())
	if err != nil || !bytes.Equal(got, payload) {
		t.Errorf("the file has %d bytes, %v", len(got), err)
	}
	if data.Exists(j.path() + ".part") {
		t.Error("the partial file is left over")
	}
}

// checkError checks that fetching gave an error of one line with each of the texts.
func checkError(t *testing.T, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", texts)
		return
	}
	for _, want := range texts {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q, want %q in it", err, want)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q, want one line", err)
	}
}

func TestFetchWhole(t *testing.T) {
	s := serve(t, good)
	j := newJob(t, s.URL)
	last, total := int64(-1), int64(0)
	j.done(t, j.run(context.Background(), data.FetchOptions{Progress: func(d, n int64) {
		if d < last {
			t.Errorf("progress goes back from %d to %d", last, d)
		}
		last, total = d, n
	}}))
	if last != j.file.Size || total != j.file.Size {
		t.Errorf("progress ends at %d of %d", last, total)
	}
	j.done(t, j.run(context.Background(), data.FetchOptions{}))
	if len(s.ranges) != 1 {
		t.Errorf("%d requests, want none for a file that is there", len(s.ranges))
	}
	if err := os.WriteFile(j.path(), payload[1:], 0o666); err != nil {
		t.Fatal(err)
	}
	j.done(t, j.run(context.Background(), data.FetchOptions{}))
}

// TestFetchIntoNoFolder: a data folder that cannot be written is named with the remedy, and no
// address is blamed for it.
func TestFetchIntoNoFolder(t *testing.T) {
	s := serve(t, good)
	j := newJob(t, s.URL)
	file := filepath.Join(j.folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil { // no folder can be in it
		t.Fatal(err)
	}
	j.folder = filepath.Join(file, "data")
	err := j.run(context.Background(), data.FetchOptions{})
	checkError(t, err, "data folder "+j.folder+" cannot be written",
		"choose another with --data DIR")
	if len(s.ranges) != 0 {
		t.Errorf("%d requests, want none", len(s.ranges))
	}
}

// These servers make trouble, and the file is right all the same.
func TestFetchRecovers(t *testing.T) {
	n := len(payload)
	wrongRange := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes 7-%d/%d", n-1, n))
		w.WriteHeader(http.StatusPartialContent)
		w.Write(payload[7:])
	}
	for name, tt := range map[string]struct {
		handlers []http.HandlerFunc
		part     int
		ranges   []string
	}{
		"resumes": {[]http.HandlerFunc{good}, 1000, []string{"bytes=1000-"}},
		"cut twice": {[]http.HandlerFunc{cutAt(5000), good}, 0,
			[]string{"", "bytes=5000-"}},
		"ignores range": {[]http.HandlerFunc{whole}, 1000, []string{"bytes=1000-"}},
		"another range": {[]http.HandlerFunc{wrongRange, whole}, 1000,
			[]string{"bytes=1000-", ""}},
		"no such range": {[]http.HandlerFunc{status(416), whole}, 1000,
			[]string{"bytes=1000-", ""}},
		"whole but not named": {[]http.HandlerFunc{status(500)}, n, nil},
		"redirect": {[]http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		}, good}, 0, []string{"", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, tt.handlers...)
			j := newJob(t, s.URL)
			if tt.part > 0 {
				j.leave(t, tt.part)
			}
			j.done(t, j.run(context.Background(), data.FetchOptions{}))
			if !slices.Equal(s.ranges, tt.ranges) {
				t.Errorf("ranges asked for: %q, want %q", s.ranges, tt.ranges)
			}
		})
	}
}

// These servers cannot be helped: one line says why, and nothing gets the file's name.
func TestFetchRefuses(t *testing.T) {
	wrong := bytes.Replace(payload, []byte("7"), []byte("8"), 1)
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		want    string
		kept    bool
	}{
		"not found": {status(404), "404 Not Found", false},
		"short length": {func(w http.ResponseWriter, _ *http.Request) { w.Write(payload[:10]) },
			"the server has 10 bytes, the file has 320000", false},
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush() // no length
			w.Write(wrong)
			w.Write(wrong)
		}, "md5", false},
		"wrong bytes": {func(w http.ResponseWriter, _ *http.Request) { w.Write(wrong) },
			"md5", false},
		"always cut": {cutAt(5000), "the connection ended at byte 5000 of 320000", true},
		"empty, lengthless": {func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
		},
			"ended at byte 0", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, tt.handler)
			j := newJob(t, s.URL)
			err := j.run(context.Background(), data.FetchOptions{})
			checkError(t, err, tt.want, s.URL, "--url")
			if data.Exists(j.path()) {
				t.Error("a file takes the name")
			}
			if kept := data.FileSize(j.path()+".part") > 0; kept != tt.kept {
				t.Errorf("partial file kept: %v, want %v", kept, tt.kept)
			}
			again := serve(t, good)
			j.done(t, j.run(context.Background(), data.FetchOptions{URL: again.URL + "/file.gz"}))
		})
	}
}

func TestFetchGoesToTheMirror(t *testing.T) {
	bad, half, mirror := serve(t, status(403)), serve(t, cutAt(5000), status(500)), serve(t, good)
	j := newJob(t, bad.URL, half.URL, mirror.URL)
	j.done(t, j.run(context.Background(), data.FetchOptions{}))
	if !slices.Equal(mirror.ranges, []string{"bytes=5000-"}) {
		t.Errorf("the mirror is asked for %q", mirror.ranges)
	}
}

// A server that stops sending, or that never begins, is given up after the stall time.
func TestFetchStall(t *testing.T) {
	hang := func(n int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(payload)))
			if n > 0 {
				w.Write(payload[:n])
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		}
	}
	for _, n := range []int{0, 5000} {
		s := serve(t, hang(n))
		j := newJob(t, s.URL)
		err := j.run(context.Background(), data.FetchOptions{Stall: 20 * time.Millisecond})
		if err == nil || !strings.Contains(err.Error(), "no data came for 20ms") {
			t.Errorf("after %d bytes: error is %v", n, err)
		}
		again := serve(t, good)
		j.done(t, j.run(context.Background(), data.FetchOptions{URL: again.URL + "/file.gz"}))
	}
}

// An interrupted fetch keeps the bytes that it has, says so and asks no mirror. The next call
// continues from there.
func TestFetchInterrupted(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(payload)))
		w.Write(payload[:5000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mirror := serve(t, good)
	j := newJob(t, s.URL, mirror.URL)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	err := j.run(ctx, data.FetchOptions{Progress: func(done, _ int64) {
		if done == 5000 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) ||
		!strings.Contains(err.Error(), "5000 of 320000 bytes are kept") {
		t.Errorf("error is %v", err)
	}
	if len(mirror.ranges) != 0 {
		t.Error("a mirror is asked after the interrupt")
	}
	j.file.URLs = []string{mirror.URL}
	j.done(t, j.run(context.Background(), data.FetchOptions{}))
	if !slices.Equal(mirror.ranges, []string{"bytes=5000-"}) {
		t.Errorf("the next call asks for %q", mirror.ranges)
	}
}

func TestFetchSeveralFiles(t *testing.T) {
	s := serve(t, good)
	j := newJob(t)
	files := []data.Remote{j.file, j.file}
	files[1].Name = "other.gz"
	last, total := int64(0), int64(0)
	if err := data.FetchFiles(context.Background(), j.folder, files,
		data.FetchOptions{URL: s.URL,
			Progress: func(d, n int64) { last, total = d, n }}); err != nil {
		t.Fatal(err)
	}
	if other := filepath.Join(j.folder, "other.gz"); !data.Exists(other) {
		t.Errorf("the second file, %s, is not there", other)
	}
	if want := 2 * j.file.Size; last != want || total != want {
		t.Errorf("progress ends at %d of %d, want %d of as many", last, total, want)
	}
}
