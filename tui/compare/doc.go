// Package compare is the Compare page: the paper's Table 1 over runs and seeds, what
// makes the comparison unfair, and curves.
//
// Start at page.go (state), read.go (files), view.go, then table.go, curves.go and notes.go.
package compare
