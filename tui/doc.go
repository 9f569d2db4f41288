// Package tui is the terminal interface: choose an experiment, start runs,
// watch them live, reopen and compare what was recorded.
//
// It is an Elm program on Bubble Tea: a [Model] with one state, changed by
// Update alone, and a View that only reads it. There is no mutex, no goroutine
// of its own and no file opened in Update or View: files are read by commands
// (source.go) and what may happen to a run is asked of [runner.Verbs]. A run
// is drawn from its directory, so a live run, a finished one and one on
// another machine's shared disk look the same, and watching slows nobody.
//
//	tick -> command: read what was appended -> message -> Update -> View
//	key  -> key table (keys.go) -> action -> page, verb or overlay
//
// It knows no formula and computes no statistic: numbers come from the log as
// they stand there. Nothing here reads the environment; Config carries it.
//
// Start at model.go (routing), then page.go (what a page is), layout.go (where
// things are), keys.go, msg.go and theme.go: one table of keys, one list of
// messages, one palette.
package tui
