// Package clock is how far a replay of runs has come: its place, its speed, where it can jump to,
// and the bar that shows all of it.
//
// It reads no log. Whoever reads asks Due and Asked up to which moment, and limits what it reads;
// that is all that a replay is. The tapes of the runs (Load) say how long they are and where their
// evaluations, checkpoints and warnings stand. A tick lets time pass (Tick), and a key moves the
// place (Scrub, Jump, Seek) or changes the speed (Faster).
//
// Start at clock.go; bar.go draws.
package clock
