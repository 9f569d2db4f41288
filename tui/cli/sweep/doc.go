// Package sweep has the commands of sweeps: start, status, table, task and stop. What they
// do is in runner/sweep; here are the flags, the presets and the trainer that it is given.
//
// Start at start.go.
package sweep
