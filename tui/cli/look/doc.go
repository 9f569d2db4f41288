// Package look has the commands that read runs and change none: runs, show, compare,
// report, record, export and doctor, which alone may mend files.
//
// It writes some output by itself: the tables of compare, the files of record and the page
// of report --into. Statistics are those of runner/compare.
//
// Start at runs.go.
package look
