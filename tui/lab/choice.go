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

	"drolab/runner/record"
	"drolab/tui/kit"
)

// Choice is a setting of a page that the user changes by keys. It is kept for the next start.
type Choice struct {
	Name string
	Get  func() []string // nil is the default
	// Set takes the parts of a value that it knows and leaves out the rest, since anybody may have
	// changed the file.
	Set func([]string)
}

// Choices are the choices of a page.
type Choices []Choice

// OneOf returns the choice of one of some words, of which the first is the default. then is called
// when it is set.
func OneOf[T ~int](name string, words []string, at *T, then func()) Choice {
	return Choice{Name: name,
		Get: func() []string {
			if *at == 0 {
				return nil
			}
			return words[*at : *at+1]
		},
		Set: func(value []string) {
			*at = 0
			if len(value) == 1 {
				*at = T(max(0, slices.Index(words, value[0])))
			}
			then()
		}}
}

// Get returns the values of the choices that are not at their defaults.
func (c Choices) Get() map[string][]string {
	values := map[string][]string{}
	for _, choice := range c {
		if v := choice.Get(); len(v) > 0 {
			values[choice.Name] = v
		}
	}
	return values
}

// Set sets all choices; those without a value are set to their defaults.
func (c Choices) Set(values map[string][]string) {
	for _, choice := range c {
		choice.Set(values[choice.Name])
	}
}

// Key returns the row of the key table that sets the choices to their defaults.
func (c Choices) Key() kit.Key {
	return kit.Key{Keys: kit.On("0"), Help: "reset the page's view to its defaults",
		Why: func() string { return kit.Unless(len(c.Get()) > 0, atDefaults) },
		Do:  kit.Just(func() { c.Set(nil) })}
}

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
	err = record.Files{}.Read(path, &v)
	return v, err
}

// WriteViews writes the views of a folder of runs.
func WriteViews(in, runs string, v Views) error {
	files := record.Files{}
	if err := files.Folder(in); err != nil {
		return err
	}
	return files.Write(viewsFile(in, runs), v)
}
