// Package cell handles text in the cells of a terminal. It replaces what may not be shown
// (clean.go), counts widths as the renderer counts them, and has a stand-in for every character
// where the terminal has seven bits only. Charts and pages both use it, so that they agree.
//
// Pages pass names and messages on as they stand in files. Every function that measures, cuts or
// places text cleans it, and tells the program's own styles from escape sequences of a file.
package cell
