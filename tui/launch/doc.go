// Package launch is the Launch page: presets, their settings, and the start of runs.
//
// Start at page.go (state), edit.go (settings), view.go.
package launch
