// Package lab is what the interface's pages know together: where runs are read
// (Source), what may be asked of them (Lab), the messages from page to page
// (msg.go), and how a run's state, settings and figures are written.
//
// It draws nothing. Pages import it and not each other.
package lab
