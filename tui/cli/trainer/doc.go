// Package trainer trains for the commands: by the engine of a runs folder, which outlives
// them, or by a queue of this process. It has the command engine, and runs the user's own
// command when a run is done.
//
// It does not follow runs: the run directories tell what happens.
//
// Start at Trainer.
package trainer
