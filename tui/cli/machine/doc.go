// Package machine has the commands about the machine, version and bench. It also gives other
// commands the description of the host and the time of a training step.
//
// Start at host.go; the times are in bench.go.
package machine
