// Package kit is the toolkit of the interface's pages, over Lip Gloss and Bubbles. It has one
// palette, rows of key tables, text of a given width (over tui/cell), boxes, overlays, typed lines,
// the lines of tables, and charts as lines of text (Theme.Rows).
//
// It knows cells, not runs. Pages draw lines of exactly the width that they are given. Only View
// draws.
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
//
// # Files
//
//	theme.go          start here: Theme, the palette: styles and glyphs; NewTheme, DROLAB_CONTRAST
//	                  (Contrast)
//	colours.go        colours for 24 bits, 256 and 16, on a dark and a light background; cividis
//	                  of maps
//	tints.go          grounds of figures that are better or worse than a baseline's
//	style.go          Style, the escape sequences around a text (Paint)
//	seriesnumbers.go  numbers of series: which colour and mark a method or a run gets
//
//	keys.go       Key, a row of a key table; groups of the help; footer, help lines, names of keys
//	              as shown (`⇧Tab`)
//	overlay.go    overlays and questions ("Stop?"), scrolled text, forms (Form)
//	input.go      a typed line (Input), and a form with one line and its check (LineForm)
//	checklist.go  a form to choose from a list, as columns of Runs
//	messages.go   messages to pages: Tick, Notice, Click, Wheel, Hover; copies to the clipboard
//	              (OSC 52)
//
//	text.go        text of a given width: Left, Right, Wrap, Fill; Duration, Plural
//	box.go         Rect, Block, Compose, panels with a title and a note, progress bars, empty
//	               pages; the least screen of 40 by 12
//	table.go       lines of a table (Grid): which columns have room, wrapped last column
//	statements.go  texts with a name before each, in a few lines
//	chart.go       charts as lines of text: colours of roles, maps' levels (Rows, Swatch)
//	digits.go      numbers in large characters
//	pixels.go      pictures in the terminal's own pixels, half blocks or shades, with frames
package kit
