// Package download brings files into the data folder. A file grows as NAME.part and gets its name
// once its size and checksum are right; an interrupted download continues where it stopped.
//
// Start at [FetchFiles].
package download
