// Package panel provides the panels of the Watch page: the table of panels (standing.go), what a
// panel shows now (Board), and how it is drawn (form.go).
//
//	Standing + methods -> panels -> quantities -> Prepare: what a Track keeps
//	page: keys, mouse  -> Board: view, split, axis, zoom, crosshair
//	new events         -> Fit: axes, orders of classes
//	page: a turn       -> Draw -> form -> plot chart -> lines of cells
//
// A panel has views, and a form draws a view: as curves, as bars, as a map. A view only names
// measures, so a panel is a row of the table, from which its title, its export and its definition
// follow. The last panel has the measures that the watched methods report and no row names.
//
// Panels know the runs that package track keeps and the room that they are given, and nothing of
// the page around them. Nothing drawn is kept here; the page decides when a panel is drawn again.
//
// Everything here runs in the goroutine of the interface. Drawing changes nothing; what a frame
// needs from the frame before (axes, orders) is kept by Fit and by the page.
//
// # Axes
//
// An axis must stand still while a run goes on: otherwise it would be redrawn, sent and read anew
// at every look. So its range is kept from frame to frame and moves by 1-2-5 steps, with slack
// before it shrinks. All quantities are fitted as their curves grow, in view or not, because a
// range depends on the one before, and must not depend on what the user looked at. An axis is not
// fitted again while nothing has changed (Refit says that something has).
//
// # One x
//
// All plots share the horizontal axis, the part of it in view and the crosshair, so that they are
// read at one step. A run maps its steps to that axis: to epochs by its own number of steps an
// epoch, to seconds by its own clock.
//
// # Lines and dots
//
// Box-drawing lines need rows to be told apart; dots have four levels a row. Plots are drawn in
// dots unless the user has chosen lines or the theme has no dots. The room of a plot does not
// matter: otherwise a headline that comes when a run ends would turn all plots to dots.
//
// Start at standing.go, then board.go.
package panel
