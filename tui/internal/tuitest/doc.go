// Package tuitest holds what the tests of the interface share: made-up runs, a loop in the place of
// Bubble Tea's, a driver of one page without the rest of the interface, screens to compare, and
// hostile texts. Only tests import it.
//
// # Files
//
//	loop.go    start here: Loop, Bubble Tea's loop without goroutines: messages, keys, time
//	driver.go  Driver drives one page without the rest of the interface
//	screen.go  screens to compare: Golden files (`-update`), sizes, kinds of terminals, Fits
//	           (width of every line), Printable
//
//	script.go       Script: live runs with made-up logs of 8 epochs
//	groupscript.go  the same with groups and a validation split
//	archive.go      Archive: a folder of recorded runs, finished, failed and stopped
//	boxes.go        boxes: one that cannot be reached, with its mirror; one in this process
//	sweep.go        a folder of a made-up sweep
//	pick.go         samples for the Samples page
//	presets.go      presets that stand in for the embedded ones
//	names.go        OneName: a name on the screen is that of one measure
//	verbs.go        Starter and Asked, which note the requests to runs
//
//	poison.go    Poison, texts that would steer a terminal, put into every string of a value or
//	             file
package tuitest
