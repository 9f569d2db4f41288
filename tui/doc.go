// Package tui is the terminal interface: choose an experiment, start runs,
// watch them live, reopen and compare what was recorded.
//
// It is an Elm program on Bubble Tea: one state, changed by Update alone, and a View that
// only reads it. It has no mutex and no goroutine of its own, and neither Update nor View
// opens a file: commands read files, and [runner.Verbs] takes requests to runs. A run is
// drawn from its directory, so a live run, a finished run and a run on another machine's
// shared disk look the same, and watching slows no run.
//
//	tick -> command: read what was appended -> message -> Update -> View
//	key  -> key table -> the row's Act -> page, verb or overlay
//
// It contains no formula of a method and defines no statistic. Numbers come unchanged from
// the log. Means and intervals over seeds are computed in runner/compare; smoothing and
// bands, which depend on the drawn columns, are computed in tui/plot. Nothing here reads
// the environment; lab.Config carries it.
//
// This package has everything that the pages share as a whole, from routing to the pace of
// redrawing. Each page is a package of its own, which imports no other page: tui/launch, tui/watch,
// tui/runs, tui/compare, tui/sweep, tui/samples and tui/film. They share tui/kit (how things look
// and which keys do what) and tui/lab (the folder of runs, the verbs, and the messages between
// pages). Charts are in tui/plot, and text as cells in tui/cell.
//
// Start at model.go. A key is a row of its page's Keys, with its action, the word in the
// footer, the help, and the reason why the key does nothing now. A panel of Watch is a row
// of its table of panels (tui/watch/panel/builtin.go). A page is a package with the methods
// of page, and a line in newPages (both in pages.go).
//
// # Files
//
//	model.go     start here: Model (one state), Update (routing of messages), press (which key
//	             does what), View; what a request to a run came to
//	pages.go     the list of pages in the order of tabs and of the digits that show them (newPages), and what a
//	             page has to have (page)
//	messages.go  messages of the interface to itself; those to every page are in tui/kit and tui/lab
//	run.go       Run and Program, which open the interface in Bubble Tea; ErrHangup; the greatest
//	             size of the screen
//
//	keys.go     keys of every page: `:`, `?`, `q`, `Esc`, `Ctrl-Z`, `X` (stop all runs of the last
//	            start), `[`, `]`, digits; why a replay or a read-only view bars a key
//	opening.go  keys typed before a dialog opens, and an action before its page has its runs
//	palette.go  `:` and `Ctrl-P` find a key by its words and by synonyms; also pages, panels,
//	            presets, settings, runs and definitions
//	help.go     `?`, the help in groups, and "Not now" with reasons; letters search it
//	leave.go    `q`, and the question where runs of this program go on
//	mouse.go    clicks, the wheel and moves, sent to header, overlay or page
//
//	frame.go     header with tabs, "read-only" and what the page says (Digest); footer, notice,
//	             "reading ..." of what is waited for
//	boxes.go     `M`, Boxes: how the links to other machines stand, and what they said; what the
//	             header says of them, and the notice that one has no link
//	alerts.go    `N`, Alerts: what happened to runs; the newest at the foot, the count of those since
//	             the last look
//	folder.go    looks at the runs' folder for the count of live runs in the header
//	beat.go      the end of a live run shows within half a second, by its lock
//	recorded.go  where runs are read: the folder with its catalogue, read-only or not, and
//	             `recorded:` runs
//	keep.go      the view of each page (columns, sort, layout ...) is kept from start to start,
//	             for each folder of runs
//	ring.go      what `--ring` asks for: notification of a run's end (OSC 9 or 777), progress of
//	             the window's icon
//
//	pace.go          the pace: how often files are looked at, and frames a second, on this
//	                 machine, idle and over SSH
//	framerate.go     sets the frames a second in Bubble Tea
//	environment.go   the terminal as the environment tells it: DROLAB_ASCII, NO_COLOR,
//	                 DROLAB_CONTRAST, DROLAB_PIXELS, COLORFGBG, SSH, TERM, TMUX, locale
//	terminal.go      Terminal reads keys, pastes and answers of the terminal, and takes no late
//	                 rest of one as keys; its writer drops needless questions, and adds
//	                 pictures (tui/pixels)
//	pictures.go      Pictures says in what form pictures are drawn, and why
//	follow_unix.go,  the size of the terminal after SIGWINCH; nothing on a console of Windows
//	follow_other.go
//	debuglog.go      what DROLAB_DEBUG=FILE writes of each message: its type, keys, answers of the
//	                 terminal, no data
//	panicguard.go    a panic ends the interface with an error of one line
package tui
