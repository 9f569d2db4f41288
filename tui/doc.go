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
// This package has everything that the pages share as a whole: routing (model.go), the list of
// pages (pages.go), header and footer (frame.go), help (help.go), the keys of every page
// (keys.go), the palette of commands (palette.go), the mouse (mouse.go), and the pace of
// looking and redrawing (pace.go). Each page is a package of its own, which imports no other
// page: tui/launch, tui/watch, tui/runs, tui/compare, tui/sweep, tui/samples and tui/film. They
// share tui/kit (how things look and which keys do what) and tui/lab (the folder of runs, the
// verbs, and the messages between pages). Charts are in tui/plot, and text as cells in
// tui/cell.
//
// Start at model.go. A key is a row of its page's Keys, with its action, the word in the
// footer, the help, and the reason why the key does nothing now. A panel of Watch is a row
// of its table of panels (tui/watch/panel/builtin.go). A page is a package with the methods
// of page, and a line in newPages (both in pages.go).
package tui
