// Package panel is the panels of the page Watch: which there are (standing.go, a table), what a
// panel shows now (Board), and how it is drawn (form.go).
//
// A panel has views, and a form draws a view: curves, bars, a map. Panels know the runs that
// package track keeps and the room that they are given, and nothing of the page around them.
// Start at standing.go, then board.go.
package panel
