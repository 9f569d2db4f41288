// Package dataset has the parts of every data set: the samples of a split ([Source]), their labels
// and groups, the options that choose among them, and what was fitted to them ([Encoder]).
//
//	Provider.Open -> Source (random access) -> [Finish]: cap, imbalance, hold-out, label noise
//
// It knows no file format and no loader. The packages beside it read the formats; runner/data opens
// data sets by name and makes batches of them, and shows the types of this package to the program.
//
// A user's own files may be malicious: [OpenInput] opens every file. It takes regular files only
// and fixes how much is read of them.
//
// Start at data.go, which has the providers. encoder.go has labels, groups, splits and the encoding
// that a network needs; divide.go has the choice of samples; file.go and options.go have the code
// that readers share.
//
// # Downloads
//
// [FetchFiles] brings files into the data folder (download.go). A file grows as NAME.part and gets
// its name once its size and checksum are right; an interrupted download continues where it
// stopped.
package dataset
