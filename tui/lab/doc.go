// Package lab is shared by the interface's pages. It has the place where runs are read (Source),
// the requests that runs take (Lab), the messages from page to page (lab.go), and the notation of a
// run's state, settings and figures.
//
// It draws nothing. Pages import it and not each other.
package lab
