// Package panel provides the panels of the Watch page: the table of panels (builtin.go), what a
// panel shows now (Board), and how it is drawn (form.go, and a file for each form).
//
//	BuiltIn + methods -> panels -> quantities -> Prepare: what a Track keeps
//	page: keys, mouse  -> Board: view, split, axis, zoom, crosshair
//	new events         -> Fit: axes, orders of classes
//	page: a turn       -> Draw -> form -> plot chart -> lines of cells
//
// A panel has views, and a form draws a view: as curves, as bars, as a map. A view only names
// measures, so a panel is a row of the table, from which its title, its export and its definition
// follow. The last panel has the measures that the watched methods report and no row names.
//
// Panels know the runs that are watched and the room that they are given, and nothing of
// the page around them. Nothing drawn is kept here; the page decides when a panel is drawn again.
//
// Everything here runs in the goroutine of the interface. Drawing changes nothing; what a frame
// needs from the frame before (axes, orders) is kept by Fit and by the page.
//
// Start at panel.go and builtin.go, then board.go.
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
// # The adversary's eye
//
// The eye (eye.go) shows the training samples that the worst case of the last evaluation weighs
// most, as pictures, as rows of a table, or by number alone. The log names the samples; Gallery
// (gallery.go) fetches their pictures or rows from the run's data, in the background. A shared
// view (lab.Config.Shared) may not read the data: Gallery fetches nothing for it.
//
// # Tracks
//
// A Track (track.go) holds what the page remembers of a run: curves, films, notes and marks. Runs
// (runs.go) says which are shown, under the cursor and compared.
//
//	log -> events -> Track.Add -> Progress   (figures: table, headline, bars)
//	                           -> Curves     (step, value), raw and smoothed
//	                           -> Films      (step, value of each class)
//	                           -> Notes, Markers
//	Runs.Tracks -> Groups (seeds) -> Rows -> panels
//
// The size of a Track is bounded, however long its run: the buckets of a curve and the columns of a
// film are limited, and only the latest notes and marks are kept. Forty runs need no more memory
// than a few, because a curve has fewer buckets when more runs are watched: the screen has no more
// columns for them.
//
// Events come in the order of the log. Until a Track has read its log to the end, it shows the
// state that the run had when it was opened, because half a log tells nothing about its end. When a
// resume takes steps back, every curve is rewound.
//
// Runs that differ only in the seed are shown as one, with one row, one colour and one line with a
// band, until a key takes them apart.
//
// A Track belongs to the goroutine of the interface. Only its log is read elsewhere: by a command,
// one at a time, which hands the events over in a message. No statistic is computed here except the
// mean over the seeds of a row. eventlog.Progress decides what a resume takes back and how long a
// run trained.
package panel
