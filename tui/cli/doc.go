// Package cli is drolab's commands: flags, progress lines, tables and --json.
//
//	args ─> Main ─> cobra ─> one file a command (run.go, risk.go, ...)
//	          run, resume, pause, ... ─> engine.Client, or a runner.Queue of our own (--inline): what is asked
//	          progress    <─ record.Tail            what happens: the run directories are the truth
//	          report      <─ record.Find, compare   what came out
//
// It is not a library: main.go calls Main and nothing else does. It computes
// nothing itself, reads no environment variable (Env has what main found
// there) and knows no file format.
//
// Start reading at Main, then run.go. To add a command, give it a file with a
// method of app that returns a *cobra.Command, and list it in root.
package cli
