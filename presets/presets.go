package presets

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/spec"
)

//go:embed *.yaml
var files embed.FS

// names returns the embedded presets in the order in which they are listed,
// the default one first.
func names() []string {
	return []string{
		"shapes", "race", "baselines", "noise",
		"cressie-read-1.5", "kl", "smoothed-cvar", "cvar",
		"paper-quick", "paper-gentle", "paper", "registered", "registered-gentle",
		"mnist", "fashion", "csv", "groups", "waterbirds", "convex", "theorem",
	}
}

// Preset is one experiment: what a file says, and what follows from it.
type Preset struct {
	runner.Preset
	// File is where a preset that Beside lists was found; empty for the others.
	File string `json:"-"`
	// Problem is why the file of a preset that Beside lists cannot be used; its
	// Spec is the default one then.
	Problem error `json:"-"`

	file  string         // the file that the preset was read from
	lines map[string]int // the lines of Overrides, by key
}

// Parts returns the number of parts of a run of the preset, after each of which the run keeps a
// checkpoint: quarters, so that a fork may begin in the middle. What is registered stays as it was,
// and nobody knows how much a program saves.
func (p *Preset) Parts() int {
	const quarters = 4
	registered := slices.Contains([]string{"registered", "registered-gentle"}, p.Name)
	if registered || p.Spec.IsProgram() || p.Spec.IsScript() {
		return 0
	}
	return quarters
}

// List returns the embedded presets, the default one first.
func List() []Preset {
	var list []Preset
	for _, name := range names() {
		p, err := loadEmbedded(name)
		if err != nil {
			panic("presets: an embedded file is broken")
		}
		list = append(list, p)
	}
	return list
}

func loadEmbedded(name string) (Preset, error) {
	file := name + ".yaml"
	text, err := files.ReadFile(file)
	if err != nil {
		return Preset{}, err
	}
	p, err := parse(file, text)
	p.file = "" // users cannot look at the lines of an embedded file
	return p, err
}

// Load returns the preset of the given name or, if there is none, the preset in the file of that
// name. It reads the settings but does not validate them, because overrides may follow.
func Load(nameOrFile string) (Preset, error) {
	if slices.Contains(names(), nameOrFile) {
		return loadEmbedded(nameOrFile)
	}
	if spec.IsProgramName(nameOrFile) {
		return ofProgram(nameOrFile)
	}
	text, err := ReadFile(nameOrFile)
	switch {
	case err == nil:
		return parse(nameOrFile, text)
	case errors.Is(err, fs.ErrNotExist) && !looksLikeFile(nameOrFile):
		return Preset{}, fmt.Errorf("preset %.60q: no preset and no file of that name: "+
			"choose one of %s, or give a YAML file",
			nameOrFile, strings.Join(spec.NearestFirst(nameOrFile, names()), ", "))
	case errors.Is(err, fs.ErrNotExist):
		return Preset{}, fmt.Errorf("preset file %s does not exist: check the path, or choose "+
			"one of %s", nameOrFile, strings.Join(names(), ", "))
	}
	return Preset{}, fmt.Errorf("preset file: %w", err)
}

// LoadBeside is Load for a file that may name a preset file of its own folder.
func LoadBeside(file, name string) (Preset, error) {
	path := filepath.Join(filepath.Dir(file), name)
	if _, err := os.Stat(path); err == nil && !filepath.IsAbs(name) && strings.Contains(name, ".") {
		name = path
	}
	return Load(name)
}

// NamedIn returns the preset files of its own folder, or of one below it, that a YAML file names as
// LoadBeside takes them. A text that is no such file names none: what reads it says what is wrong.
func NamedIn(file string, text []byte) (names []string) {
	list, err := Entries(file, text)
	if err != nil {
		return nil
	}
	var look func(list []Entry)
	look = func(list []Entry) {
		for _, e := range list {
			look(e.Below)
			var name string
			if e.Key != "preset" || e.Below != nil || e.Decode(&name) != nil ||
				!IsYAML(name) || !filepath.IsLocal(name) || slices.Contains(names, name) {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), name)); err == nil {
				names = append(names, name)
			}
		}
	}
	look(list)
	return names
}

// ofProgram returns the preset for a program that is named in place of a preset: the defaults, with
// the program as the model.
func ofProgram(name string) (p Preset, err error) {
	p.Reasons = map[string]string{}
	if p.Spec, err = spec.OfProgram(name); err != nil {
		return p, err
	}
	program, ok := p.Spec.Program()
	if !ok {
		return p, fmt.Errorf("%.60q: expected program:PATH ARGUMENTS", name)
	}
	p.Name = BaseName(program.Path)
	p.Doc = "the program " + program.Path
	return p, nil
}

// looksLikeFile reports whether s is a path and not a mistyped preset name.
func looksLikeFile(s string) bool {
	return strings.ContainsAny(s, `/\`) || IsYAML(s)
}

// IsYAML reports whether a word names a YAML file by its ending.
func IsYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// maxFile is the largest size of a preset file in bytes. A file with every setting and a reason for
// each is below 8 KiB.
const maxFile = 64 << 10

// ReadFile reads a YAML file that is not larger than a preset file may be.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s: expected a YAML file of at most 64 KiB", path)
	}
	return os.ReadFile(path)
}

// BaseName returns the name of a file without its folder and its ending.
func BaseName(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}
