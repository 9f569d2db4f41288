// Package film is the page that shows in a minute what distributionally robust training does: four
// recorded runs, played at a steady speed.
//
// It opens no run of the user's and starts none by itself. The figures come from the runs that the
// program carries (recorded:shapes), and the captions are computed from them.
//
//	tick -> time of the film -> chapter, epoch -> bars, pictures, path of z, caption
//
// Start at page.go (time and keys), then recording.go (what is shown), caption.go (what is said of
// it) and view.go.
package film
