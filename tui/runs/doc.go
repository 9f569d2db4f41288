// Package runs is the Runs page: every run of the folder, filtered and sorted.
//
// Start at page.go (state), columns.go, view.go.
package runs
