// Package table reads tables in CSV and Parquet: one sample a row, and columns that are the label,
// groups, a split or features.
//
//	file -> rows of cells (csv.go, parquet.go) -> [Frame] of columns -> features and a Dataset
//
// Numbers are standardised and other columns one-hot coded, by the training split alone. Every
// error names the file, the line and the column. Arrays of numbers are read by the package array.
//
// Start at csv.go and tableformat.go, which open a table. frame.go collects the rows, header.go
// decides what each column is, column.go keeps one and fit.go codes it; words.go keeps the cells.
//
// # Parquet
//
// This package also reads flat tables in Apache Parquet files, row by row as text cells. It writes
// none, and refuses nested columns by name.
//
// The library is github.com/parquet-go/parquet-go, and no other package uses it. It decodes the
// footer, the page headers, the compression and the values. This package goes through the pages of
// a chunk itself, because the library (v0.32) gives wrong values without an error. They are those
// of booleans in runs, of LZ4 pages that are hardly compressed, and of pages that hold fewer bytes
// than their values need. This package also reads levels and places in dictionaries itself, one by
// one. The library unpacks those of a whole page at once, and fails where the last group is cut.
//
// The sizes that a file declares are not checked. A damaged or malicious file may ask for any
// memory and make the library panic: a process of bounded memory reads foreign files
// (runner/data/source/apart.go).
package table
