// Package parquet reads flat tables in Apache Parquet files, row by row as text cells. It writes
// none, and refuses nested columns by name.
//
// The library is github.com/parquet-go/parquet-go, and this package is its only home. It decodes
// the footer, the page headers and the encodings of values. The way through a chunk's pages is our
// own, because the library's (v0.32) takes the memory that a page declares before it looks for the
// bytes, and gives wrong values without an error: of booleans in runs, of LZ4 pages that are hardly
// compressed, and of pages that hold fewer bytes than their values need. So are levels, places in
// dictionaries and the limits of unpacking, in which a few bytes of a file took gigabytes.
//
// Every size that a file declares is held against the bytes that are there, and a panic of the
// library is an error. What remains is the memory of encodings that say in a few bytes how often a
// value repeats: foreign files are read by a process whose memory is bounded (runner/data,
// apart.go).
//
// Start at [Open] (file.go); page.go goes through a column's pages, unpack.go has their
// compressions, runs.go reads levels and places in dictionaries, cell.go makes text of values, and
// thrift.go holds lengths in headers against the bytes that follow.
package parquet
