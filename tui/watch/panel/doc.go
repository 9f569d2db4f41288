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
//
// # Files
//
//	panel.go    start here: Panel and View, what a row of the table of panels has
//	builtin.go  the panels with titles, views and their texts: Loss, Who suffers, Dual variables,
//	            Where the adversary looks, Gap, Test accuracy, The adversary's eye, Settings,
//	            Machine
//	board.go    Board, the state of all panels: split, style, views, axes
//	adapt.go    panels for the methods and data at hand: groups for classes, "Other measures", no
//	            λ without a λ
//	form.go     how a view is drawn; headings; why a panel is empty
//	choices.go  what is kept for the next start: style, axis, smoothing, scales, views
//
//	curves.go     form of curves: one plot or two, `d` styles, "N not finite"
//	chart.go      the chart of a quantity: lines, bounds of the box of λ and η, S at selected
//	              steps
//	axis.go       horizontal axis (`a`: step, epoch, time), vertical scales (`l`), fitting
//	zoom.go       `+`, `-`, `<`, `>`, and the wheel on x
//	crosshair.go  values at the crosshair, the picked run and its step
//	smoothing.go  `s`, `S`: mean of 5, EMA .9, EMA .99, none
//	bars.go       form of bars by class or group, with change, samples, Wilson intervals, recall;
//	              ? below min_group
//	matrix.go     form of figures by class and method, with their change against the baseline
//	spread.go     form of one line for each class with the marks of all runs; worst first
//	film.go       form of two maps: accuracy and the adversary's ratio
//	histogram.go  form of likelihood ratios
//	portrait.go   form of the phase portrait of (λ, η)
//	radii.go      form of R_ρ over the radii
//	settings.go   form of the Settings panel: those that differ first
//	machine.go    form of the Machine panel: GPU, memory, cores, disk
//	eye.go        form of the heaviest samples: pictures, rows or numbers, in frames
//	gallery.go    fetches these samples from the run's data, in turns
//
//	runs.go        Runs: the list of watched runs, seeds together, cursor, baseline, which are
//	               comparable
//	find.go        which runs are watched without a name, and at most how many
//	runnames.go    names that tell runs apart, their order
//	placenames.go  names of places, splits, axes
//	words.go       state, bounds of λ and selection in words
//	values.go      present values of measures, at the last evaluation or an epoch; means over
//	               seeds
//
//	track.go     Track: what is kept of a run, event by event; marks r (resume) and k (changed
//	             setting) on plots; notes of warnings, checkpoints, forks
//	runcurve.go  a curve, raw and smoothed
//	evals.go     evaluations and films that are kept
//	notes.go     Note, a line of the log pane; how many notes and marks are kept
//	knobs.go     settings that can be turned, and the stack that undoes turns
//	runlog.go    a run with its log; the limited log of a replay
package panel
