// Package spec is the specification of a run: every setting with its default, meaning and range,
// and the Spec, which holds a value for each. It trains nothing and opens no data.
//
// A Spec is a value: whoever has one may copy it and change the copy. Its slices and maps are
// replaced as a whole and never written to. Every setter in this package relies on that.
//
// Start at Spec in spec.go. The settings are the rows of settingrows.go. setting.go defines a row,
// assign.go reads and writes settings, readby.go says which runs read one, and validate.go finds
// what cannot be used. knob.go has the settings that may change while a run trains.
package spec
