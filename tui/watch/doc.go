// Package watch is the Watch page: runs, drawn from their directories while they go on or
// afterwards. It reads the logs (read.go), lays the page out (view.go, layout.go), and has the
// table of runs (table.go) and the keys (keys.go, actions.go).
//
// What is kept of a run is in package track, and the panels are in package panel. Start at
// page.go (state, and the way of an event to the screen), then read.go, then view.go.
package watch
