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
// Start at data.go, which has [Dataset].
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
// [FetchFiles] brings files into the data folder. A file grows as NAME.part and gets
// its name once its size and checksum are right; an interrupted download continues where it
// stopped.
//
// # Files
//
//	data.go         a data set, its shape, its two kinds of samples (numbers, images) and its
//	                customary augmentation (crop, mirror); checksum; the error of missing files;
//	                the paper's imbalance
//	options.go      what a caller asks of a data set: data folder, difficulty, samples, imbalance,
//	                val_fraction, label noise, seed of the data; their bounds
//	provider.go     a source of data: name or scheme, how it opens, sizes that are known without
//	                files
//	plainnumber.go  a number with a decimal comma, thousands, a currency sign, %
//	nameoptions.go  a name of the user's own files taken apart, SCHEME:PATH?key=value; values and
//	                defaults of options, test_fraction= and data_seed=; numbers with a decimal
//	                comma or thousands
//
//	finish.go   Finish: cap (samples), imbalance, hold-out of val_fraction, label noise, in this
//	            order; classes without training samples; counts by class and group
//	holdout.go  a stratified hold-out by class, or class and group: test_fraction=, val_fraction
//	splits.go   train, val and test by a column split=, or drawn
//	splitby.go  split_by=: samples with one value stay in one split; a hold-out by keys, nearest
//	            to the fraction asked for
//	relabel.go  label noise (wrong labels on purpose), and other numbers for classes and groups
//	subset.go   a part of a source, by the places of its samples
//
//	ownlabels.go   labels and groups of the user's own files: crossed groups, cells=yes (label ×
//	               group); the refusal of a continuous label (regression)
//	factor.go      a categorical column: label, group or split; missing values, crossed columns,
//	               cells
//	members.go     groups= that may overlap, and the groups in which samples are measured
//	marks.go       label, group and memberships of each sample, in memory
//	classnames.go  the order of names of classes and groups; 1.0 for 1; the most classes
//	encoder.go     what is fitted to the training split: standardised columns, categories, names;
//	               how another data set takes it over; a sample's row in its file and its columns
//	               as written
//	sample.go      an evenly spaced sample of the rows, which the data card looks at; roles of
//	               columns
//	raw.go         tables of predictions of another program: row, label, group, loss, p_CLASS
//
//	rows.go      features of tables in memory, in blocks
//	features.go  numbers that stay in their file: float16, 32 and 64; mean and deviation
//	images.go    images in memory, as bytes
//	file.go      opens every file of data: regular files only, bounded reading, gzip
//	mapped.go, map_unix.go, map_other.go
//	             files that are mapped into memory, and their faults (SIGBUS)
//	text.go      text files: UTF-8 only, with line and byte of what is not
//	foreign.go   files that are no table (Excel, JSON, pickle, HDF5, Feather, Arrow, Stata, SAS),
//	             with the line of Python that converts one
//	near.go      the nearest name of a list for one that it lacks, and the nearest file of a
//	             folder; how the files of presets are made
//	download.go  downloads into the data folder: NAME.part, resumed, checked by size and checksum
//	             (SHA-256, MD5)
//	cores.go     one function for many numbers, on every core
//	pcg.go       random numbers: the generator PCG-DXSM, hashed seeds, a purpose for each stream
package data
