// Package parquet reads flat tables in Apache Parquet files, row by row as text cells. It writes
// none, and refuses nested columns by name.
//
// The library is github.com/parquet-go/parquet-go, and this package is its only home. It decodes
// the footer, the page headers, the compressions and the encodings of values. The way through a
// chunk's pages is our own, because the library's (v0.32) takes the memory that a page declares
// before it looks for the bytes, and gives wrong values without an error: of booleans in runs, of
// LZ4 pages that are hardly compressed, and of pages that hold fewer bytes than their values need.
// LZ4 is its own library, since parquet-go's codec takes memory without end where a page is
// damaged.
//
// Every size that a file declares is held against the bytes that are there, and a panic of the
// library is an error. Repeated levels and places in dictionaries are counted, and not unpacked
// (runs.go). What remains is the memory of a page that unpacks to much more than it declares:
// foreign files are read by a process whose memory is bounded (runner/data, apart.go).
//
// Start at [Open] (file.go); page.go goes through a column's pages, runs.go reads levels and places
// in dictionaries, cell.go makes text of values, and thrift.go holds lengths in headers against the
// bytes that follow.
package parquet
