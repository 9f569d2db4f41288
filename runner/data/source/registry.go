package source

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"drolab/runner/data"
	"drolab/runner/data/array"
	"drolab/runner/data/picture"
	"drolab/runner/data/synthetic"
	"drolab/runner/data/table"
	"drolab/runner/lists"
)

// registry holds every Provider in the order of drolab data list: datasets that need no file, then
// downloads, then the schemes that read files.
var registry = struct {
	sync.RWMutex
	list []*data.Provider
}{list: []*data.Provider{synthetic.Shapes(), synthetic.Spurious(), table.CSVExample(),
	picture.CIFAR10(), picture.CIFAR100(), picture.CIFAR100Coarse(), picture.Mnist(),
	picture.Fashion(), table.CSVFiles(), table.ParquetFiles(), array.NPZFiles(), array.NPYFiles(),
	array.Safetensors(),
	picture.IDXFolders(), picture.PictureFolders()}}

// Register adds a data source for the whole program, until remove is called. It panics if the name
// is taken.
func Register(p data.Provider) (remove func()) {
	registry.Lock()
	defer registry.Unlock()
	named := func(q *data.Provider) bool { return q.Name == p.Name }
	if p.Name == "" || p.Open == nil || slices.ContainsFunc(registry.list, named) {
		panic("data: a provider needs a name of its own and Open")
	}
	registry.list = append(slices.Clip(registry.list), &p)
	return func() {
		registry.Lock()
		defer registry.Unlock()
		registry.list = slices.DeleteFunc(slices.Clone(registry.list),
			func(q *data.Provider) bool { return q == &p })
	}
}

// providers gives the registry as it is now.
func providers() []*data.Provider {
	registry.RLock()
	defer registry.RUnlock()
	return registry.list
}

// find returns the provider of a name: the provider with exactly this name, else the provider of
// its scheme, else the provider of its file name ending.
func find(name string) (*data.Provider, error) {
	list := providers()
	for _, fits := range []func(p *data.Provider) bool{
		func(p *data.Provider) bool { return p.Name == name },
		func(p *data.Provider) bool { return isScheme(p) && strings.HasPrefix(name, p.Name) },
		func(p *data.Provider) bool {
			path, _, _ := strings.Cut(name, "?")
			return slices.ContainsFunc(p.Endings, func(e string) bool {
				return strings.HasSuffix(path, e)
			})
		},
	} {
		if i := slices.IndexFunc(list, fits); i >= 0 {
			return list[i], nil
		}
	}
	return nil, unknown(name, list)
}

// unknown returns the error of a name that no provider has. It may be a path without its scheme.
func unknown(name string, list []*data.Provider) error {
	path, _, _ := strings.Cut(name, "?")
	if folder := data.ForeignFolder(path); folder != nil {
		return fmt.Errorf("%s %w, or a folder of pictures as images:%s", path, folder, path)
	}
	if foreign := data.ForeignEnding(path); foreign != nil {
		return fmt.Errorf("%s %w", path, foreign)
	}
	if path != "" && data.Exists(path) {
		return fmt.Errorf("%s is a file of unknown kind: give a table as csv:%s", path, name)
	}
	near := data.Near(lists.Map(list, func(p *data.Provider) string { return p.Name }), name)
	if near != "" {
		return fmt.Errorf("unknown name: write %s, or choose one of %s", near, choice(list))
	}
	return fmt.Errorf("unknown name: choose one of %s", choice(list))
}

func isScheme(p *data.Provider) bool { return strings.HasSuffix(p.Name, ":") }

// choice lists the names of providers.
func choice(list []*data.Provider) string {
	form := func(p *data.Provider) string { return p.Name + p.Argument }
	return strings.Join(lists.Map(list, form), ", ")
}
