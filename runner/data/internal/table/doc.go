// Package table reads tables in CSV and Parquet: one sample a row, and columns that are the label,
// groups, a split or features.
//
//	file -> rows of cells (lines.go, parquet.go) -> [Frame] of columns -> features and a Dataset
//
// Numbers are standardised and other columns one-hot coded, by the training split alone. Every
// error names the file, the line and the column. Package array reads arrays of numbers.
//
// Start at csv.go; frame.go collects the rows, header.go decides what each column is, column.go
// fits and codes one, and words.go keeps the cells.
package table
