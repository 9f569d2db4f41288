// Package watch is the Watch page: runs, drawn from their directories while they go on or
// afterwards. It reads the logs, lays the page out, and has the table of runs and the keys.
//
//	lab.Watch -> open (command)  -> openMsg -> showRuns: Tracks, panels
//	kit.Tick  -> read (command)  -> readMsg -> addEvents: Track.Add, Fit, turns
//	key, mouse -> Keys, click... -> state   -> changed: every part is drawn
//	View: layout -> parts, each as it was drawn or, if it is due, anew -> kit.Compose
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
//
// # Files
//
//	page.go      start here: Page, state, and the way of an event to the screen
//	open.go      which runs are watched: by name or the newest; colours and groups
//	gone.go      drops runs that were deleted
//	read.go      reads what was appended to logs, adds it to tracks
//	redraw.go    turns: which part of the page is drawn anew at a look
//	view.go      the page as a whole; "No runs yet"; scrolled bars
//	messages.go  messages to the page itself: what its commands bring
//	layout.go    where table, headline, panels, eye and log pane go; 1, 2, 4 or 6 panels
//
//	keys.go       all keys but those of a replay, with the words of the help; which key calls
//	              what; `n` newest runs, `C` checkpoint, and `l`, `a`, `+`, `-`, `<`, `>` call
//	              tui/watch/panel
//	reasons.go    why a key does nothing now
//	actions.go    `p` pause, `r` resume, `x` stop (asks); `z` zoom, `v` number of panels, `f` flip
//	              a view, `m` split, `o` seeds apart, `b` baseline, `s`, `S` smoothing, `d` style,
//	              `P` samples, `c` compare, `Tab`, `Esc`; the cursor in the table: `↑`, `↓`,
//	              `Home`, `g`, `End`, `G`
//	crosshair.go  `←`, `→`, `↑`, `↓` and `Enter` on a plot
//	mouse.go      clicks, drags (pan), wheel (zoom), moves (crosshair)
//	knobs.go      `t` changes a setting of a live run, `u` undoes it
//	export.go     `e`, `E`, `y`: what a panel shows, as a file or copied
//	define.go     `i`: definitions of what is shown
//	choices.go    what is kept for the next start; `0` shows all of x, then resets
//
//	finds.go          panels, for the search of the interface
//	table.go          the table of runs: rows, names, marks of the best (★)
//	columns.go        its columns: worst %, risk, changes against the baseline, λ, η, speed,
//	                  progress, ETA
//	headline.go       the state of the run under the cursor, in lines below the table
//	tiles.go          `B` three large numbers: worst class of the best method and of the baseline
//	story.go          the sentence on what the runs showed (runner/compare); lost parts of logs
//	ranking.go        runs by robust risk, once all have ended
//	race.go           `F` forks; a fork against its parent
//	headerwords.go    the header's words: progress, "reading N %" of long logs; news of a run's
//	                  end
//	logpane.go        `w`, `W` (warnings in full), `/`; pages of the pane
//	programoutput.go  output of the program that a run trains, in the pane
//	readmachine.go    reads samples of the run's machine
//	eye.go            the strip of the adversary's heaviest samples below the panels
//
//	replay.go     `R`; keys of a replay: `,` `.` `{` `}` `T`, `Space`, jumps; the same page over
//	              limited logs
//	clock.go      what these keys do on the clock: speed, place, scrub, jump, align by step or
//	              time
//	replaybar.go  the bar with marks, and the jump keys `u` `U` `y` `Y` `J` `K`
package watch
