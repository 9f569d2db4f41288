// Package parquet reads flat tables in Apache Parquet files, row by row as text cells. It writes
// none, and refuses nested columns by name.
//
// The library is github.com/parquet-go/parquet-go, and no other package uses it. It decodes the
// footer, the page headers and the encodings of values. This package goes through the pages of a
// chunk itself, because the library (v0.32) takes the memory that a page declares before it looks
// for the bytes. The library also gives wrong values without an error: of booleans in runs, of LZ4
// pages that are hardly compressed, and of pages that hold fewer bytes than their values need. This
// package also reads levels and places in dictionaries itself, and limits unpacking itself: in
// these, a few bytes of a file took gigabytes.
//
// Every size that a file declares is compared with the bytes that are there, and a panic of the
// library becomes an error. What remains is the memory of encodings that say in a few bytes how
// often a value repeats: a process of bounded memory reads foreign files (runner/data, apart.go).
//
// Start at [Open] (file.go). page.go goes through a column's pages, unpack.go decompresses them,
// runs.go reads levels and places in dictionaries, and cell.go makes text of values. thrift.go
// compares lengths in headers with the bytes that follow.
package parquet
