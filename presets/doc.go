// Package presets holds the experiments that drolab knows by name: one
// embedded YAML file each, with a "doc" line, the settings that differ from
// runner.Defaults and, as a comment on its line, the reason of each.
//
// It is not where settings are defined or checked: their names, types and
// ranges are runner.Spec's, and YAML is only another way to write its JSON. A
// user's own file is read the same way (reasons are then optional).
//
// Start at Load. To add a preset, write NAME.yaml here and add NAME to names.
package presets
