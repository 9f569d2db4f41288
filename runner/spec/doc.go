// Package spec is the specification of a run: every setting with its default, meaning and range,
// and the Spec, which holds a value for each. It trains nothing and opens no data.
//
// A Spec is a value: whoever has one may copy it and change the copy. Its slices and maps are
// replaced as a whole and never written to. Every setter in this package relies on that.
//
// Start at Spec in spec.go; the settings are the rows of settingrows.go.
//
// # Files
//
//	spec.go         Spec with its defaults; one Spec a run (Expand); what a loader, a network and
//	                a task get of it
//	settingrows.go  the settings: every key with its meaning and range, but those of methods (dro)
//	setting.go      a row: text and value of a setting, whether specs agree, what a fork inherits
//	assign.go       values from presets, --set and run.json; a Spec as JSON
//	validate.go     values and combinations that cannot be used; KeyError, "key: value: want ..."
//	readby.go       which methods, models and sets read a setting; the error for one that nobody
//	                reads
//
//	knob.go      settings that may change while a run trains: values and bounds
//	nudge.go     the next value above or below one, and what a fork may change
//	settled.go   "auto" and "paper" replaced by what they come to; the setting convolution
//	judging.go   the Spec that judges predictions of another program
//	program.go   models program:PATH and script: arguments, procs=, settings that a program
//	             decides
//	problem.go   uncertainty, rho, k, mu and the bounds as a dro.Problem; the set as a short label
//	schedule.go  schedule, warmup, lr_drop: the step size of a step; AdamW's settings
//
//	select.go     values of the setting select
//	threshold.go  values of the setting threshold: a number, val_f1
//	imbalance.go  values of the setting imbalance: auto, paper, paper-drawn, none, ratios
//	text.go       counts and lists in words; the word that was meant
package spec
