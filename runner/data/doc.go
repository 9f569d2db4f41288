// Package data says what a data set is: its samples ([Source]), their labels and groups, the
// options that choose among them ([Options]), and what was fitted to them ([Encoder]).
//
//	Provider.Open -> Source (random access) -> [Finish]: cap, imbalance, hold-out, label noise
//
// It knows no file format, no loader, no model and no screen. The packages below it build on it:
//
//	source      a data set by its name: opening, downloads, a process of its own for foreign files
//	table       readers of CSV and Parquet
//	picture     readers of folders of pictures, IDX (MNIST) and CIFAR
//	array       readers of NPY, NPZ and safetensors
//	synthetic   the data sets that are drawn from a seed
//	loader      seeded batches with exact resume
//
//	file or seed -> table, picture, array, synthetic -> source.Open -> Dataset -> loader -> Batch
//
// A user's own files may be malicious: [OpenInput] opens every file. It takes regular files only
// and fixes how much is read of them. Pixels stay bytes until a batch is made.
//
// Start at data.go, which has [Dataset]. options.go and provider.go have what opens one; ownlabels.go,
// factor.go and splits.go make labels, groups and splits of the columns of a user's files;
// encoder.go has the encoding that a network needs, and divide.go the choice of samples. The files
// file.go, text.go, mapped.go and nameoptions.go have the code that readers share.
//
// A data source is a [Provider]. To add one, write a file with a function that returns the
// provider, in the package below that reads similar files. Its Open reads or draws the whole of
// both splits as two values of [Source] (images as [ImageSource]). Then name the function in the
// registry of the package source (source/registry.go), and add a row to docs/data.md. Everything
// that opens, fetches, lists, completes, estimates or starts ranges over the registry, so no other
// package changes; source/provider_test.go adds one in this way, by source.Register.
//
// # Downloads
//
// [FetchFiles] brings files into the data folder (download.go). A file grows as NAME.part and gets
// its name once its size and checksum are right; an interrupted download continues where it
// stopped.
package data
