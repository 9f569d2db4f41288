package source

import (
	"context"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/picture"
)

// Fetched by name, the files of MNIST go below the data folder; they come from the folder that URL
// names.
func TestFetchByName(t *testing.T) {
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		w.WriteHeader(http.StatusNotFound)
	}))
	defer s.Close()
	for name, path := range map[string]string{"mnist": "/data/" + picture.IDXFiles()[0] + ".gz",
		"cifar10": "/data/" + picture.CIFARArchive} {
		err := Fetch(context.Background(), name, t.TempDir(),
			data.FetchOptions{URL: s.URL + "/data/"})
		if err == nil || !strings.HasPrefix(err.Error(), "fetch "+name+": ") {
			t.Errorf("Fetch(%q) = %v, want an error that begins with %q", name, err,
				"fetch "+name+": ")
		}
		if got := asked[len(asked)-1]; got != path {
			t.Errorf("Fetch(%q) asks for %q at last, want %q", name, got, path)
		}
	}
}

func TestRemotes(t *testing.T) {
	for _, name := range Names() {
		p, err := find(name)
		if err != nil {
			t.Fatal(err)
		}
		if e, _ := Info(name, t.TempDir()); (p.Files != nil) == e.Available {
			t.Errorf("%s: can be fetched: %v, needs no file: %v", name, p.Files != nil, e.Available)
		}
		if p.Files == nil {
			continue
		}
		for _, r := range p.Files.Remote {
			kind, digits, _ := strings.Cut(r.Sum, ":")
			b, err := hex.DecodeString(digits)
			if err != nil {
				t.Errorf("%s: checksum %q: %v", r.Name, r.Sum, err)
			}
			if want := map[string]int{"md5": 16, "sha256": 32}[kind]; len(b) != want {
				t.Errorf("%s: checksum %q has %d bytes, want %d", r.Name, r.Sum, len(b), want)
			}
			for _, url := range r.URLs {
				if !strings.HasSuffix(url, "/"+r.Name) {
					t.Errorf("%s: address %s", r.Name, url)
				}
			}
		}
	}
	if err := Fetch(context.Background(), "shapes", t.TempDir(), data.FetchOptions{}); err == nil ||
		!strings.Contains(err.Error(), "nothing to fetch") {
		t.Errorf("fetching what is drawn: %v", err)
	}
}
