// Package tui is the terminal interface: choose an experiment, start runs,
// watch them live, reopen and compare what was recorded.
//
// It is an Elm program on Bubble Tea: one state, changed by Update alone, and a
// View that only reads it. There is no mutex, no goroutine of its own and no
// file opened in Update or View: files are read by commands and what may happen
// to a run is asked of [runner.Verbs]. A run is drawn from its directory, so a
// live run, a finished one and one on another machine's shared disk look the
// same, and watching slows nobody.
//
//	tick -> command: read what was appended -> message -> Update -> View
//	key  -> key table -> the row's Do -> page, verb or overlay
//
// It knows no formula of a method, and defines no statistic. Numbers come from the
// log as they stand there; means and intervals over seeds are runner/compare's, and
// smoothing and bands, which are made of what is drawn, are tui/plot's. Nothing here
// reads the environment; lab.Config carries it.
//
// This package is what all pages have: routing (model.go), header, footer and
// help (frame.go), the keys that hold everywhere (own_keys.go), the palette,
// the pace. Each page is a package of its own, which imports no other page:
// tui/launch, tui/watch, tui/runs, tui/compare, tui/sweep and tui/samples. They
// share tui/kit (how things look and which keys do what) and tui/lab (the folder
// of runs, the verbs, and the messages between pages). Charts are tui/plot's,
// text as cells is tui/cell's.
//
// Start at model.go. A key is a row of its page's Keys, which binds it to what
// it does, the footer's word, the help, and why it cannot be done now. A panel
// of Watch is a row of its table of panels (tui/watch/panel/standing.go). A page is a
// package with Title, Init, Keys, Update, Typing and View, and a line in table
// (both in page.go).
package tui
