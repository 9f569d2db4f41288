// Package dro is the mathematics of distributionally robust training with
// φ-divergence uncertainty sets.
package dro
