// Package sweep is the Sweep page. It shows a sweep's settings as a map of what the validation
// split says of each, how far they have come, what is chosen, and what went wrong. It reads the
// sweep's folder, and asks Slurm for the sweep's jobs, so it also shows a sweep that a cluster
// trains.
//
// Start at page.go (state), reader.go (files), then grid.go and plane.go (the map), then view.go.
//
// # Files
//
//	page.go      start here: Page, state and messages; finds the sweeps of the runs folder
//	reader.go    reads one sweep again and again, asks Slurm for its jobs
//	keys.go      keys: `Enter` watch, `c` compare, `a` (axis), `b` (best), `Tab`, `s` (next
//	             sweep), `x` (stop), and what they do
//	grid.go      the map: which setting stands in which row and column, ranks as levels
//	plane.go     the map drawn: progress, ETA, legend, colours, the chosen settings' mark
//	view.go      the page; seeds of a setting, the choice of each method, what failed and why
//	messages.go  messages to the page itself: what its commands bring
package sweep
