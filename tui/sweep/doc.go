// Package sweep is the Sweep page: a sweep's settings as a map of what the validation
// split says of each, how far they have come, what is chosen, and what went wrong. It
// looks at the sweep's folder alone, so it shows one that a cluster trains as well.
//
// Start at page.go (state), read.go (files), grid.go (the map's rows and columns),
// view.go.
package sweep
