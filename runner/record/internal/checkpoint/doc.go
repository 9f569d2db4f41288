// Package checkpoint is the folder of a run's checkpoints: what they hold, and which of them stay.
//
//	Write, Read   the two files of a step                     checkpoint.go
//	Newest        the newest checkpoint that can be read      checkpoint.go
//	tensors       the weights, in the safetensors format      tensors.go
//	opaque        what a program saved, in their place        opaque.go
//	Pin, Prune    which checkpoints stay, and which go        keep.go
//
// A checkpoint counts once its JSON is there, which is written last and holds the checksum of the
// large file beside it. Whatever the files hold, reading them ends in an error or in tensors within
// their size. The package knows this folder of a run and the log's position, and nothing else
// there.
//
// Start reading at checkpoint.go.
package checkpoint
