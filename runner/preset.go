package runner

import "drolab/runner/spec"

// Preset is one experiment as a file states it. Package presets has the files; code that reads runs
// by presets is given them.
type Preset struct {
	Name string `json:"name"` // without folder and extension
	Doc  string `json:"doc"`  // what it is for, one line
	// Spec has every setting; the file overrides the defaults.
	Spec spec.Spec `json:"spec"`
	// Overrides are the keys that the file sets, in its order, and Reasons the reasons, by key.
	Overrides []string          `json:"overrides"`
	Reasons   map[string]string `json:"reasons"`
}
