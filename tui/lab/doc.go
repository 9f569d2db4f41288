// Package lab is shared by the interface's pages. It has the place where runs are read (source.go),
// the requests that runs take (lab.go), the messages from page to page (pagemessages.go), and the
// notation of a run's state, settings and figures.
//
// It draws nothing. Pages import it and not each other.
package lab
