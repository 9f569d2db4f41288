package presets

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"drolab/runner"
	"drolab/runner/spec"
)

// mostBeside is the largest number of YAML files of a folder that Beside reads, to bound its cost.
const mostBeside = 100

// Beside returns the presets among the YAML files of a folder, by name. A file with the keys of a
// preset that cannot be read as one is listed with its Problem, since its owner looks for it. Other
// YAML files are passed over.
func Beside(dir string) (list []Preset) {
	entries, _ := os.ReadDir(dir) // a folder that cannot be read has no presets
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !IsYAML(e.Name()) })
	for _, e := range entries[:min(len(entries), mostBeside)] {
		path := filepath.Join(dir, e.Name())
		if text, err := ReadFile(path); err == nil && looksLikePreset(text) {
			list = append(list, readBeside(path, text))
		}
	}
	return list
}

// looksLikePreset reports whether text seems to be a preset, valid or not.
func looksLikePreset(text []byte) bool {
	return regexp.MustCompile(`(?m)^(algorithms|dataset)[ \t]*:`).Match(text)
}

func readBeside(path string, text []byte) Preset {
	p, err := parse(path, text)
	if wrong := p.Check(&p.Spec); err == nil && len(wrong) > 0 {
		err = wrong
	}
	if err != nil {
		doc, _, _ := strings.Cut(err.Error(), "\n")
		p = Preset{Problem: err, Preset: runner.Preset{Name: BaseName(path), Doc: doc,
			Spec: spec.Defaults()}}
	}
	p.File = path
	return p
}
