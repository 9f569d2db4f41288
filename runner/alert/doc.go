// Package alert says what people want to be told of runs: one table of alerts, and how they follow
// from the log of a run.
//
//	status, warning, alert events -> Reader -> Alert, each at most once an hour
//	evaluations -> Fall -> the alert that the worst class falls behind its best
//
// The log of a run is the memory: a Reader takes in all of it, and passes over an alert that the
// log has had within the hour before. So every process that reads the log comes to the same alerts,
// whoever has trained the run, and however often it was resumed. The package sends nothing, and
// knows neither files nor terminals.
//
// Start at table.go.
//
// # Files
//
//	table.go   the table: name, level, when, text, remedy
//	alert.go   Alert; Of, what an event of a log says; New, the event of an alert; the
//	           order of a list
//	reader.go  Reader: the alerts of a log, each once an hour; runs that were interrupted
//	fall.go    Fall: the worst class behind its best for a fifth of the run
package alert
