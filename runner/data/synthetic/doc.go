// Package synthetic draws the data sets that need no file, each from a seed, the same to the bit on
// every machine.
//
// "shapes" is images. "spurious" is a table of 64
// features with a shortcut: x = y·u + 3·s·v + N(0, I), where u and v are orthogonal unit vectors
// and y = ±1 is the label. The attribute s = ±1 is y in 97 % of the training samples and in half of
// the test samples. Its groups are (y, s).
//
// # Files
//
//	shapes.go    "shapes": ten classes of 32×32 images of plane figures, their outlines, ground,
//	             clutter and noise, harder with difficulty
//	spurious.go  "spurious": the formula above; groups, class means, normal numbers
//	raster.go    polygons to pixels: coverage with anti-aliasing
package synthetic
