// Package picture reads data sets of images: folders of pictures, IDX files (MNIST) and CIFAR.
//
// Pictures of any size are cut and resized once, and kept in a cache in the data folder. What a
// file declares of its size is checked before memory is taken for it.
//
// Start at pictures.go for folders, at idx.go for MNIST, or at cifar.go.
//
// # Files
//
//	pictures.go     images:DIR, folders of pictures, and their options: size=, colour=,
//	                orientation=, scale=, metadata=, cells=, test_fraction=, data_seed=,
//	                split_by=; notes of turned and transparent pictures; augmentation
//	folders.go      classes and splits by the names of folders, links, and what is left out and
//	                why
//	metadata.go     metadata.csv: label, groups, split and split_by= columns of pictures
//	decode.go       one picture: decoded, cut to the square in the middle, resized, turned
//	orientation.go  the EXIF orientation of JPEG, PNG and WebP
//	webp.go         colours of WebP as libwebp makes them
//	cache.go        the cache of resized pictures in the data folder, made in parts that an
//	                interruption leaves
//	moments.go      mean and deviation of each channel, of the training split
//	linkowner_unix.go, linkowner_other.go
//	                whether a link is the user's own, so that it may be followed
//
//	idx.go           mnist and fashion-mnist, their downloads, and idx:DIR with names= and scale=;
//	                 the IDX format
//	cifar.go         cifar10: layout, records, reading of unpacked files, checks
//	cifar100.go      cifar100 and cifar100-coarse (20 coarse labels); names of their classes
//	cifararchive.go  the tar.gz of CIFAR: download, unpacking, reading without unpacking; checksum
//	cifarglance.go   pictures of CIFAR in mapped files, for a look at few samples
package picture
