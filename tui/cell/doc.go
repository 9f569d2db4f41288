// Package cell is text as a terminal's cells have it: what may not be shown is
// cleaned away, widths are counted as the renderer counts them, and where the
// terminal has seven bits only every character has its stand-in. Charts and
// pages both use it, so that they agree.
package cell
