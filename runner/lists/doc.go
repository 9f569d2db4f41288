// Package lists has what the standard library's package slices lacks: a function of each element,
// the elements at some places, and the elements by key.
//
// # Files
//
//	lists.go  Map, elements at some places, numbered names
//	group.go  elements by key: groups, or the first of each
package lists
