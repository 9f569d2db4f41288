// Package array reads arrays of numbers as samples: NumPy's .npy and .npz, and safetensors.
//
// Large files are mapped where the system can, so that their samples stay in the file. An array in
// a compressed archive is unpacked into memory, if there is room for it. Tables are read by the
// package table beside it.
//
// Start at arrays.go.
//
// # Files
//
//	arrays.go       what every format shares: the options x=, y=, g=, group_names=, na=, split=,
//	                cells=, test_fraction=, data_seed=, split_by=, scale=; labels, groups and
//	                features of arrays
//	npy.go          npy:X.npy, an array a file, and NumPy's format: header, types, shapes
//	npz.go          npz:FILE, the archives of numpy.savez
//	safetensors.go  safetensors:FILE: its header, and tensors as arrays
package array
