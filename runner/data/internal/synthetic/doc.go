// Package synthetic draws two data sets from a seed. They are the same to the bit on every machine.
//
// "shapes" is images. "spurious" is a table of 64 features with a shortcut:
// x = y·u + 3·s·v + N(0, I), where u and v are orthogonal unit vectors and y = ±1 is the label. The
// attribute s = ±1 is y in 97 % of the training samples and in half of the test samples. Its groups
// are (y, s).
//
// Start at shapes.go, which draws with polygon.go and glyph.go, or at spurious.go.
package synthetic
