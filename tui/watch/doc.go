// Package watch is the Watch page: runs, drawn from their directories while they go on or
// afterwards. It reads the logs (read.go), lays the page out (layout.go), and has the
// table of runs (table.go) and the keys (keys.go).
//
//	lab.Watch -> open (command)  -> openMsg -> showRuns: Tracks, panels, columns
//	kit.Tick  -> read (command)  -> readMsg -> addEvents: Track.Add, Fit, turns
//	key, mouse -> Keys, click... -> state   -> touch: every part is drawn
//	View: layout -> parts, each from its LineCache or drawn anew -> kit.Compose
//
// Logs are read only in these two commands. One command reads at a time, and its message carries
// the number of the set of runs that it read, so that a late answer does no harm.
//
// A screen shows four things: the table of runs, the headline below it, one to six panels, and the
// log pane where it is open. They are drawn in turns while runs go on (redraw.go), since a slow
// line carries one part at a time and not all of them.
//
// # Replay
//
// A replay is the same page over logs that end at a clock's moment (clock.go, replay.go).
// The table and the panels are drawn as for live runs, but without an ETA, which would be nonsense.
//
// # Limits
//
// At most lab.MaxWatched runs are watched, of as many configurations as there are colours. The
// early part of a long log is read in summary, so curves are summaries there, too. The page changes
// no run by itself: keys that do ask runner.Verbs, and only runs of this process obey.
//
// Package panel keeps the state of the runs and has the panels. Start at page.go (state, and the
// way of an event to the screen), then open.go, read.go and view.go.
//
// # The clock of a replay
//
// A clock (clock.go) holds the state of a replay of runs: its place, its speed, the marks that it
// can jump to, and the bar that shows all of these (replaybar.go). It reads no log. Whoever reads
// asks Due and NextRead up to which moment, and limits what is read; a replay is nothing more than
// that. The tapes of the runs (Load) say how long they are and where their evaluations, checkpoints
// and warnings are.
//
// # Beside the screen
//
// A form (knobs.go) changes a setting of a live run. The run's own rule, spec.Spec.Turn, decides
// what may be typed. A panel's content is exported as rows (export.go), one for each observation;
// zoom, scale and axis do not matter to it. The exact logged values are in the run's log.
package watch
