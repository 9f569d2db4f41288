// Package synthetic draws the data sets that need no file, each from a seed, the same to the bit on
// every machine.
//
// "shapes" is images (shapes.go, drawn by the pixel in raster.go). "spurious" is a table of 64
// features with a shortcut: x = y·u + 3·s·v + N(0, I), where u and v are orthogonal unit vectors
// and y = ±1 is the label. The attribute s = ±1 is y in 97 % of the training samples and in half of
// the test samples. Its groups are (y, s) (spurious.go).
package synthetic
