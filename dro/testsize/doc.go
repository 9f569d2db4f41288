// Package testsize says how much the tests do. There are three sizes: with -short, the smallest of
// each kind; as a rule, representative sizes; and with DROLAB_LONG=1 in the environment, all of
// them, which takes hours for some packages.
//
// Only tests import it.
//
// # Files
//
//	testsize.go  DROLAB_LONG, and what is left out with -short
package testsize
