// Package cell handles text in the cells of a terminal. It replaces what may not be shown, counts
// widths as the renderer counts them, and has a stand-in for every character where the terminal has
// seven bits only. Charts and pages both use it, so that they agree.
//
// Pages pass names and messages on as they stand in files. Every function that measures, cuts or
// places text cleans it, and tells the program's own styles from escape sequences of a file.
//
// # Files
//
//	text.go    start here: widths (Width), cuts with an ellipsis (Cut, Middle, First, Last), text
//	           in one line (OneLine)
//	apart.go   Apart, which shortens names such that they still differ
//	clean.go   Clean, the gate between files and the screen: control characters and escape
//	           sequences are replaced; the program's own styles (SGR, Seal, ForTerminal)
//	ascii.go   stand-ins where the terminal has seven bits only (DROLAB_ASCII): ASCII, and Spell,
//	           as in "lambda" for λ
//	marks.go   the signs of the interface with their meanings; marks of methods (● ■ ▲, then
//	           letters) and the numbers of their variants (●₂)
//	writer.go  Writer of what commands print: cleans, breaks long lines between words (unless
//	           `--wide`), keeps the first failed write; redraws lines (Over)
//	json.go    EscapeJSON, for `--json` without characters that steer a terminal
package cell
