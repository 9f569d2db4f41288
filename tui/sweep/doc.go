// Package sweep is the Sweep page. It shows a sweep's settings as a map of what the validation
// split says of each, how far they have come, what is chosen, and what went wrong. It reads the
// sweep's folder, and asks Slurm for the sweep's jobs, so it also shows a sweep that a cluster
// trains.
//
// Start at page.go (state), reader.go (files), then grid.go and plane.go (the map), then view.go.
package sweep
