// Package lists has what the standard library's package slices lacks: a function of each element,
// the elements at some places, and the elements by key.
package lists
