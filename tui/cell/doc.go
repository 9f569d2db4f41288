// Package cell is text as a terminal's cells have it: what may not be shown is
// replaced (gate.go), widths are counted as the renderer counts them, and where the
// terminal has seven bits only every character has its stand-in. Charts and
// pages both use it, so that they agree.
//
// Pages hand names and messages over as files have them. Whatever measures, cuts or
// places text cleans it, and tells styles of ours from sequences of a file.
package cell
