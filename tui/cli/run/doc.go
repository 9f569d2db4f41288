// Package run has the commands that start runs, follow them, and send them requests: run, resume,
// pause, stop, checkpoint, knob, label and delete.
//
//	run, resume -> trainer -> follow <- record.Tail, Progress
//	                            └─> look.Results at the end
//
// Start at run.go, then follow.go.
package run
