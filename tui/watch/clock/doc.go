// Package clock holds the state of a replay of runs: its place, its speed, the marks that it can
// jump to, and the bar that shows all of these.
//
// It reads no log. Whoever reads asks Due and Asked up to which moment, and limits what is read; a
// replay is nothing more than that. The tapes of the runs (Load) say how long they are and where
// their evaluations, checkpoints and warnings are. A tick lets time pass (Tick), and a key moves
// the place (Scrub, Jump, Seek) or changes the speed (Faster).
//
// Start at clock.go; bar.go draws.
package clock
