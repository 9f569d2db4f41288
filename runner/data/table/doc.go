// Package table reads tables in CSV and Parquet: one sample a row, and columns that are the label,
// groups, a split or features.
//
//	file -> rows of cells (csv.go, parquet.go) -> [Frame] of columns -> features and a Dataset
//
// Numbers are standardised and other columns one-hot coded, by the training split alone. Every
// error names the file, the line and the column. Arrays of numbers are read by the package array.
//
// Start at csv.go and tableformat.go, which open a table.
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
//
// # Files
//
//	csv.go          csv:FILE, and the list of all options of tables: label=, group=, groups=,
//	                cells=, test=, split=, test_fraction=, data_seed=, split_by=, na=, missing=,
//	                drop=, keep=, categorical=, numeric=, categories=, label_trim=, header=, sep=,
//	                encoding=; csv:example
//	tableformat.go  what CSV and Parquet share: opening by name, sep=, categories=top:N, test
//	                files
//	frame.go        a table as it is read: lines to rows, missing=error|drop|mean|category,
//	                splits, notes of lines that are left out
//	header.go       what each column is: label=, group=, split=, keep=, drop=, categorical=,
//	                numeric=; header=none, repeated headers, another separator
//	splitby.go      the columns of split_by=, and the keys of rows
//	ids.go          columns named as identifiers of people: rows of one person in both splits
//	missing.go      na= and the words that count as missing (NA, ?, NaN ...)
//	fileerror.go    errors that name the file, and files of which no row is left
//	sample.go       the sample for the data card: roles of columns, test rows that are training
//	                rows too
//	raw.go          tables of predictions (drolab import), and label_trim=
//
//	column.go   one column: numbers or categories, the limit of categories, its one-hot or
//	            standardised code
//	fit.go      mean, deviation and categories of the training split; columns that are too wide;
//	            features of all rows
//	words.go    the cells, one word each, in blocks
//	decimal.go  numbers of up to eight digits in a word, exactly
//
//	lines.go     records of a text file with their lines, and bounds of a line
//	encoding.go  encoding=utf8|latin1|cp1252|utf16, and files that are no text
//	packing.go   compressed text files: .gz, .bz2, .zst, .zip, .xz
//
//	parquet.go       parquet:FILE: options, and rows of a file as text cells
//	parquetfile.go   the footer, the schema, flat columns, blocks of rows
//	parquetpage.go   pages of a column's chunk: dictionaries, levels, values
//	parquetcodec.go  decompression of a page
//	parquetruns.go   runs and bit-packed integers: levels and places in a dictionary
//	parquetvalue.go  values as text: decimals, unsigned integers, float16, booleans
package table
