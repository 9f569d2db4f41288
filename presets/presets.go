package presets

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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
		"mnist", "fashion", "csv", "groups", "convex",
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

	file  string // that it was read from
	lines []int  // of Overrides
}

// Known are the embedded presets as they are stated, for who reads runs by them.
func Known() (list []runner.Preset) {
	for _, p := range List() {
		list = append(list, p.Preset)
	}
	return list
}

// List returns the embedded presets, the default one first.
func List() []Preset {
	var list []Preset
	for _, name := range names() {
		p, err := embedded(name)
		if err != nil {
			panic("presets: an embedded file is broken")
		}
		list = append(list, p)
	}
	return list
}

func embedded(name string) (Preset, error) {
	file := name + ".yaml"
	text, err := files.ReadFile(file)
	if err != nil {
		return Preset{}, err
	}
	p, err := parse(file, text)
	p.file = "" // nobody can look at its lines
	return p, err
}

// Load returns the preset of the given name or, where there is none, the one
// in the file of that name. The settings are read, not validated: overrides
// may follow.
func Load(nameOrFile string) (Preset, error) {
	if slices.Contains(names(), nameOrFile) {
		return embedded(nameOrFile)
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
			nameOrFile, strings.Join(nearestFirst(nameOrFile, names()), ", "))
	case errors.Is(err, fs.ErrNotExist):
		return Preset{}, fmt.Errorf("preset file %s does not exist: check the path, or choose "+
			"one of %s", nameOrFile, strings.Join(names(), ", "))
	}
	return Preset{}, fmt.Errorf("preset file: %w", err)
}

// ofProgram is a program in the place of a preset: the defaults, with it as the model.
func ofProgram(name string) (p Preset, err error) {
	p.Reasons = map[string]string{}
	if p.Spec, err = spec.OfProgram(name); err != nil {
		return p, err
	}
	program, ok := p.Spec.Program()
	if !ok {
		return p, fmt.Errorf("%.60q: want program:PATH ARGUMENTS", name)
	}
	p.Name = strings.TrimSuffix(filepath.Base(program.Path), filepath.Ext(program.Path))
	p.Doc = "the program " + program.Path
	return p, nil
}

// looksLikeFile tells a path from a mistyped preset name.
func looksLikeFile(s string) bool {
	return strings.ContainsAny(s, `/\`) ||
		slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(s))
}

// maxFile bounds a preset file in bytes; one with every setting and a reason
// each is below 8 KiB.
const maxFile = 64 << 10

// ReadFile reads a YAML file of the size that a preset's may have.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s: want a YAML file of at most 64 KiB", path)
	}
	return os.ReadFile(path)
}

func baseName(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// mostBeside bounds what a folder full of YAML files costs.
const mostBeside = 100

// Beside returns the presets among the YAML files of a folder, by name: a file
// that cannot be read as one but has a preset's keys is listed with its Problem,
// since its owner looks for it. Other YAML files are passed over.
func Beside(dir string) (list []Preset) {
	var paths []string
	for _, pattern := range []string{"*.yaml", "*.yml"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil // a folder's name that is a pattern
		}
		paths = append(paths, found...)
	}
	slices.Sort(paths)
	for _, path := range paths[:min(len(paths), mostBeside)] {
		if text, err := ReadFile(path); err == nil && meant(text) {
			list = append(list, beside(path, text))
		}
	}
	return list
}

// meant tells whether text seems to be a preset, right or wrong.
func meant(text []byte) bool {
	return regexp.MustCompile(`(?m)^(algorithms|dataset)[ \t]*:`).Match(text)
}

func beside(path string, text []byte) Preset {
	p, err := parse(path, text)
	if wrong := p.Check(&p.Spec); err == nil && len(wrong) > 0 {
		err = wrong
	}
	if err != nil {
		doc, _, _ := strings.Cut(err.Error(), "\n")
		p = Preset{Problem: err, Preset: runner.Preset{Name: baseName(path), Doc: doc,
			Spec: spec.Defaults()}}
	}
	p.File = path
	return p
}
