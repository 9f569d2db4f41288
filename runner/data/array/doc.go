// Package array reads arrays of numbers as samples: NumPy's .npy and .npz, and safetensors.
//
// Large files are mapped where the system can, so that their samples stay in the file. An array in
// a compressed archive is unpacked into memory, if there is room for it. Tables are read by the
// package table beside it.
//
// Start at arrays.go.
package array
