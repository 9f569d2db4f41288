// Package cli is drolab's command line: it assembles the commands, which are packages below
// it by family, and gives them a console, which has the world (Env).
//
//	args -> Main -> cobra -> a command of run, look, screen, sweep, risk, data or machine
//	                           run, sweep, screen -> trainer  starts runs and asks of them
//	                           all                -> console  finds runs, prints
//
// It is not a library: main.go calls Main and nothing else does.
//
// Start at Main. A command is a function that returns a *cobra.Command, in a file of its
// family, and an entry in the family's Commands.
package cli
