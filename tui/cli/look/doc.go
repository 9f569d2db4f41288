// Package look has the commands that read runs and change none: runs, show, compare,
// report, record, export and doctor, which alone may mend files.
//
// It writes some output itself: the tables of compare, the files of record and the page of report
// --into. The statistics come from runner/compare.
//
// Start at runs.go.
package look
