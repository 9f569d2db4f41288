// Package console holds what the commands share: their environment (Env), their output, the search
// for runs by name, numbers and tables as text, JSON, errors, and checks of arguments.
//
//	words -> Find, FindStep, FindSeveral -> record.Run
//	text  -> Stdout, Stderr              -> the terminal, cleaned
//
// Printed text goes through Stdout and Stderr, which clean it: names and settings come from files
// that anybody may have written. The package sends no request to a run. The commands
// about the machine, version and bench, are here, since other commands ask for the description of
// the host (version.go) and the time of a training step (stopwatch.go).
//
// Start at console.go, then find.go and result.go.
package console
