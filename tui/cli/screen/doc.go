// Package screen opens the interface: alone, on what is running (attach), on recorded runs
// (replay) and for others (share).
//
// Start at screen.go.
package screen
