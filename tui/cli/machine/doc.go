// Package machine has the commands about the machine, version and bench, and what other
// commands ask of it: the host's description, and the time of a training step.
//
// Start at host.go; the times are in bench.go.
package machine
