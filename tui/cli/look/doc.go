// Package look has the commands that read runs, data and losses and change none: runs, show,
// compare, report, record, export, eval, certify, risk, plan, data and others. Of these doctor
// alone may mend files, and data fetch and import bring some.
//
// It writes some output itself: the tables of compare, the files of record and the page of report
// --into. The statistics come from runner/compare.
//
// Start at look.go, which lists the commands. Each has the file of its name.
//
// # Files
//
//	runs.go, show.go, doctor.go            recorded runs, one or all
//	compare.go, report.go                  runs beside each other, and studies
//	record.go, export.go                   runs as files: packed, and for other programs
//	risk.go, certify.go, eval.go           worst cases: of given losses, and of a checkpoint
//	features.go                            the inputs of a checkpoint's last layer
//	plan.go, theory.go                     what the paper's theorem asks for, and what runs did
//	data.go, card.go, import.go            datasets, their description, other programs' predictions
//	presets.go                             presets
//
// Other files are what several commands need:
//
//	results.go, outcome.go                 the end of run and resume: every figure, or one screen
//	sets.go, losses.go                     flags of an uncertainty set, the list of losses
//	checkpoint.go, constants.go            a checkpoint's network, and the constants measured there
//	certificates.go, theorem.go, sheet.go  what certify, theory and eval print and draw
//
// The commands about worst cases have no formulas; those are in dro and runner. They read one
// format, the list of losses, and write the weights of risk and the pictures of eval.
package look
