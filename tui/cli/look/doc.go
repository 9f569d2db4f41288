// Package look has the commands that read runs, data and losses and change none: runs, show,
// compare, report, record, export, eval, certify, risk, plan, data and others. Of these doctor
// alone may mend files, and data fetch and import bring some.
//
// It writes some output itself: the tables of compare, the files of record and the page of report
// --into. The statistics come from runner/compare.
//
// Start at runs.go.
//
// # Files
//
//	runs.go, results.go, compare.go   recorded runs
//	risk.go, certify.go, eval.go      worst cases: of given losses, and of a checkpoint
//	plan.go                           what the paper's theorem asks for
//	data.go                           what runs are made of: data sets, presets
//
// The commands about worst cases have no formulas; those are in dro and runner. They read one
// format, the list of losses, and write the weights of risk and the pictures of eval.
package look
