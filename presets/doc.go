// Package presets holds the experiments that drolab knows by name, one embedded YAML file each. A
// file has a "doc" line, the settings that differ from spec.Defaults and, as a comment on its line,
// the reason of each.
//
// It is not where settings are defined or checked: their names, types and
// ranges are those of spec.AllSettings, and YAML is only another way to write
// a spec.Spec's JSON. A setting that no method of the preset reads is refused.
// A user's own file is read the same way (reasons are then optional).
//
// Start at Load in presets.go. To add a preset, write NAME.yaml here
// and add NAME to names.
//
// # Files
//
//	presets.go    the presets by name or file, in their order; programs in place of a preset
//	parse.go      a preset's file: doc, settings, reasons; errors with file and line
//	set.go        --set KEY=VALUE, and the grid of several values
//	assign.go     a value as YAML gives it, to a setting; hints for several values, and for
//	              numbers in quotes
//	errors.go     errors with their lines
//	entries.go    the entries of any YAML file: sweep files and studies too
//	bounds.go     depth and length that a file may have
//	beside.go     the preset files of the user's own folder
//	newcomers.go  what other programs call a setting (newcomers.txt), as wd for weight_decay;
//	              hints for unknown keys
package presets
