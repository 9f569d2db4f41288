// Package panel is the panels of the page Watch: which there are (standing.go, a table), what a
// panel shows now (Board), and how it is drawn (form.go).
//
//	Standing + methods -> panels -> quantities -> Prepare: what a Track keeps
//	page: keys, mouse  -> Board: view, split, axis, zoom, crosshair
//	new events         -> Fit: axes, orders of classes
//	page: a turn       -> Draw -> form -> plot chart -> lines of cells
//
// A panel has views, and a form draws a view: curves, bars, a map. A view names measures and
// nothing else, so a panel is a row of the table: its title, its export and its definition
// follow. Measures that no row names are in the last panel, which is made of what the watched
// methods report.
//
// Panels know the runs that package track keeps and the room that they are given, and nothing
// of the page around them. Nothing drawn is kept here; the page decides when a panel is drawn
// again.
//
// Everything here runs in the goroutine of the interface. Drawing changes nothing; what a frame
// needs from the frame before (axes, orders) is kept by Fit and by the page.
//
// # Axes
//
// An axis must stand still while a run goes on: it would be redrawn, sent and read anew at
// every look. So its range is kept from frame to frame and moves by 1-2-5 steps, with slack
// before it shrinks. All quantities are fitted as their curves grow, in view or not, because a
// range depends on the one before: what was looked at must not change what is seen. An axis
// that nothing has changed is not fitted again (Refit says that something has).
//
// # One x
//
// All plots share the horizontal axis, the part of it in view and the crosshair, so that they
// are read at one step. A run maps its steps to that axis: to epochs by its own steps an epoch,
// to seconds by its own clock.
//
// # Lines and dots
//
// Box-drawing lines need rows to be told apart; dots have four levels a row. A plot is drawn
// in either as there is room, and around the border it stays as it was: a headline that comes
// when a run ends would turn all plots to dots.
//
// Start at standing.go, then board.go.
package panel
