// Package cli is drolab's commands: flags, progress lines, tables and --json.
//
//	args -> Main -> cobra -> a method of app for each command (run.go, risk.go, ...)
//	          run, resume, pause, ... -> engine.Client, or a runner.Queue of our own (--inline): what is asked
//	          progress    <- record.Tail, Progress  what happens: the run directories are the truth
//	          report      <- record.Find, compare   what came out
//
// What is printed goes through app.Stdout and app.Stderr, which clean it: names
// and settings come from files that anybody may have written.
//
// It is not a library: tui/process calls Main and nothing else does. It has no
// formula (risk and plan ask dro, the others runner) and gets the environment from
// main (Env). It reads one format by itself, the list of losses of risk. Some
// output it writes by itself: the tables of compare, the weights of risk, the
// pictures of eval, the files of record and the page of report --into.
//
// Start reading at Main, then run.go. A command is a method of app that returns a
// *cobra.Command, in a file of its own or beside those of its kind, and an entry
// in root.
package cli
