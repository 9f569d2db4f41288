// Package compare makes tables over runs and seeds. A row is a group of runs that
// differ in nothing but the seed, and in how often they were looked at or saved. A
// cell has the mean of a measure over the seeds, its standard deviation, and the
// half width of its t interval. The best row of a column is marked only where the
// seeds support it. Notes say what makes the comparison unfair; they are data, for
// whoever shows the table.
//
//	[]*record.Run -> groups (group.go) -> cells (table.go) -> best per column (best.go) -> Table
//	                                                       -> notes (note.go)
//
// The result depends on the runs alone, in any order; where the catalogue does not know whether a
// run mixes settings, its log is read. The package lays nothing out, and selects nothing: every
// finished run that it is given is in the table or named in a note.
//
// Start reading at table.go; the statistics are in stat.go, the settings in
// which runs differ in group.go.
package compare
