// Package runs is the Runs page: every run of the folder, filtered and sorted.
//
// Start at page.go (state), then columns.go, line.go (runs that share a line) and view.go. Keys are
// in keys.go, what they do to runs in actions.go.
package runs
