// Package track is what the page Watch keeps of runs: the curves, films, notes and marks of
// each (Track), and which of them are shown, pointed at and compared (Runs). It draws nothing.
//
// The size of a Track is bounded, however long its run. Events come in the order of the log.
// Start at track.go, then runs.go.
package track
