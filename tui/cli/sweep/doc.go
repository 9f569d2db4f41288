// Package sweep has the commands of sweeps: start, status, table, task and stop. The work is done
// in runner/sweep; this package has the flags, and gives runner/sweep the presets and the trainer.
//
// Start at start.go.
package sweep
