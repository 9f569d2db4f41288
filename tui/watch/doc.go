// Package watch is the Watch page: what runs do, drawn from their directories while they
// go on or afterwards.
//
// Start at page.go (state, and how logs are read), then track.go (what is kept of a
// run), panels.go (the table of panels), panel.go (how one is drawn), keys.go.
package watch
