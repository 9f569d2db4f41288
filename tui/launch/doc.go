// Package launch is the Launch page: it lists presets and their settings, and starts runs.
//
// Start at page.go (state), edit.go (settings), plan.go and estimate.go (what a start would take),
// view.go.
package launch
