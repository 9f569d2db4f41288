package lab

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/disk"
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
		Act: kit.Just(func() { c.Set(nil) })}
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
	err = disk.Files{}.Read(path, &v)
	return v, err
}

// WriteViews writes the views of a folder of runs.
func WriteViews(in, runs string, v Views) error {
	files := disk.Files{}
	if err := files.Folder(in); err != nil {
		return err
	}
	return files.Write(viewsFile(in, runs), v)
}

// Colors holds the number of each configuration, which is its colour and mark, by
// runner.Meta.Configuration.
type Colors map[string]uint8

// ColorsOf gives numbers to the configurations of each preset in a folder.
func ColorsOf(runs []*record.Run) Colors {
	all, given := Colors{}, map[string]*kit.Numbering{} // by preset
	preset := func(r *record.Run) string { return r.Meta.Preset }
	for _, list := range kit.Grouped(runs, preset) {
		metas := kit.Map(list, func(r *record.Run) *runner.Meta { return &r.Meta })
		given[preset(list[0])] = numbering(metas)
	}
	for _, r := range slices.Backward(runs) { // the oldest first
		key := r.Configuration()
		if _, known := all[key]; !known {
			all[key] = all.find(&r.Meta, key, given[r.Meta.Preset])
		}
	}
	return all
}

// Number returns the number of a run that is shown alone.
func (c Colors) Number(key string, m *runner.Meta) uint8 { return c.find(m, key, kit.Numbers()) }

// Of returns the numbers of runs that are shown together. Runs that differ in seed alone have the
// same number; others have different marks, as long as there are free ones. A method has one colour
// wherever it is shown. A configuration keeps the number that it has in c, if no run before it has
// its mark. Of the other configurations, the first of a method has the method's own number. The
// rest look for a free number from a place that their settings determine, so that they find the
// same one the next day.
func (c Colors) Of(runs []*runner.Meta) []uint8 {
	numbers, mine := make([]uint8, len(runs)), map[string]uint8{}
	given := numbering(runs)
	for i, m := range runs {
		key := m.Configuration()
		if _, known := mine[key]; !known {
			mine[key] = c.find(m, key, given)
		}
		numbers[i] = mine[key]
	}
	return numbers
}

// methodNumber returns the number of a run's method.
func methodNumber(m *runner.Meta) uint8 {
	return kit.MethodNumber(max(0, slices.Index(dro.Algorithms(), m.Spec.Algorithm())))
}

// numbering returns the numbering for runs that are shown together.
func numbering(runs []*runner.Meta) *kit.Numbering {
	return kit.Numbers(kit.Map(runs, methodNumber)...)
}

// find returns the number that a configuration has in c if it is free, or else the next of its
// method.
func (c Colors) find(m *runner.Meta, key string, given *kit.Numbering) uint8 {
	own := methodNumber(m)
	if n, ok := c[key]; ok && given.Claim(n, own) {
		return n
	}
	h := fnv.New32a()
	h.Write([]byte(key))
	return given.Next(own, uint8(h.Sum32()))
}
