// Package presets holds the experiments that drolab knows by name, one embedded YAML file each. A
// file has a "doc" line, the settings that differ from spec.Defaults and, as a comment on its line,
// the reason of each.
//
// It is not where settings are defined or checked: their names, types and
// ranges are those of spec.AllSettings, and YAML is only another way to write
// a spec.Spec's JSON. A setting that no method of the preset reads is refused.
// A user's own file is read the same way (reasons are then optional).
//
// Start at Load (presets.go), then parse.go (a file) and set.go (key=value). entries.go and
// bounds.go read the YAML of sweep files and studies, too. To add a preset, write NAME.yaml here
// and add NAME to names.
package presets
