// Package parquet reads flat tables in Apache Parquet files, row by row as text cells,
// a page of each column in memory at a time. It writes none, and reads nothing nested.
//
// It is a reader of our own because the program's start must not pay for one: of the
// smallest that is well kept (parquet-go v0.32), the binary grows by 5.2 MB, every start
// by 0.6 ms of processor time and 1.1 MB of memory, and what a file declares of its
// pages is allocated before it is looked at. Here a page is as large as the machine
// has room for. The formats are those of github.com/apache/parquet-format, 2.11.
//
// Start at Open (file.go); thrift.go is the encoding of all that is no data, page.go
// goes through a column's pages, values.go has the encodings of values and cell.go makes
// text of them.
package parquet
