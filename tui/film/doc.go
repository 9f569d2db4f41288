// Package film is the page that shows in a minute what distributionally robust training does: four
// recorded runs, played at a steady speed.
//
// It opens no run of the user's and starts none by itself. The figures come from the runs that the
// program carries (recorded:shapes), and the captions are computed from them.
//
//	tick -> time of the film -> chapter, epoch -> bars, weights, pictures, caption
//
// Start at page.go (time and keys), then recording.go (what is shown), caption.go (what is said of
// it) and view.go.
//
// # Files
//
//	page.go       start here: Page, time and keys (`Space`, `←`, `→`, `F`, `Enter`); drolab demo
//	              `--live`; `F` copies the recorded run and trains on with ρ = 1
//	recording.go  what is shown: recorded runs of shapes, means of five evaluations, differences
//	              over seeds with 95 % intervals
//	caption.go    the chapters (60 seconds), and what each says
//	view.go       the title; bars of the classes beside ERM's, their weights, methods, pictures
//	poster.go     the result over all seeds, which fills the screen at the end
//	messages.go   messages to the page itself: what its commands bring
package film
