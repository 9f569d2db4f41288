// Package picture reads data sets of images: folders of pictures, IDX files (MNIST) and CIFAR.
//
// Pictures of any size are cut and resized once, and kept in a cache in the data folder. What a
// file declares of its size is checked before memory is taken for it.
//
// Start at pictures.go for folders, at idx.go for MNIST, or at cifar.go.
package picture
