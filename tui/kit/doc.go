// Package kit is the toolkit of the interface's pages, over Lip Gloss and
// Bubbles: one palette (theme.go), rows of key tables (keys.go), text of so many
// cells (text.go, over tui/cell), boxes, overlays, typed lines, and charts as
// lines of text (canvas.go).
//
// It knows cells, not runs. Pages draw lines of exactly as many cells as they
// are given; only View draws, and it changes nothing but what saves time (Drawn).
package kit
