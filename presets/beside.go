package presets

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/spec"
)

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
