// Package kit is the toolkit of the interface's pages, over Lip Gloss and Bubbles. It has one
// palette (theme.go), rows of key tables (keys.go), text of a given width (text.go, over tui/cell),
// boxes (box.go), overlays, typed lines (input.go), the lines of tables (table.go), and charts as
// lines of text (Theme.Rows).
//
// It knows cells, not runs. Pages draw lines of exactly the width that they are given. Only View
// draws, and it changes nothing but what saves time (LineCache).
//
// # Lines of known width
//
// A block is a list of lines, each exactly as wide as its place (Block). So blocks are
// put together without measuring them: Lip Gloss measures every cell of what it joins,
// which on a page of four panels costs more than the rest of the frame. The price is a
// rule: a function that draws returns the width that it was given, by Left, Right, Fill
// or cell.Cut, and a test of each page holds it to that (tuitest.Fits).
//
// # A key is a row
//
// What a key does, the word in the footer, the help and the reason why it cannot be
// pressed now stand in one row (Key). The footer, the help, the palette and the pages of
// docs range over the rows, so that none of them can say something else than the others.
// A reason is asked for at every frame: it has to be cheap, and reads no file.
//
// # What lies over a page
//
// An Overlay has lines, or a Form that is typed into. It is laid out again when the
// screen changes size, so it keeps the text and not the lines.
//
// # Colours
//
// A role has a style for each kind of terminal: 24 bits, 256 colours, 16, none. Nothing is
// told by a colour alone: a series has a mark, a state has a glyph, the best value a star.
// Start at theme.go.
package kit
