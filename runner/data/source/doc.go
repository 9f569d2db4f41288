// Package source opens data sets by their names, lists them and downloads them.
//
// It reads no format itself: the packages beside it do, and the registry (registry.go) names their
// providers.
//
// A user's own files may be malicious. After a call of [ReadApart], a separate process reads each
// data set of such files, in bounded memory:
//
//	Open -> starts the program again -> Serve reads files, sends samples -> Open goes on with them
//
// Both ways give the same bits. The reading process checks an array that is large enough to be
// mapped, and this process maps it.
//
// Start at [Open] in open.go. Tests that open data sets by name, as users do, are here for all
// readers. Tests of a reader's own functions are beside it.
//
// # Files
//
//	open.go      opening a data set by its name: Open, a table of predictions (OpenRaw), downloads
//	             (Fetch)
//	registry.go  the list of all data sources; the scheme or the ending of a name; unknown names
//	list.go      what drolab data lists: names, sizes, where files are; paths made absolute; the
//	             customary imbalance
//
//	apart.go    the process of its own that reads foreign files: start, memory bound, last words
//	wire.go     what the two processes say to each other: request, progress, header of the answer
//	send.go     the reading process writes the numbers, and gives up their memory
//	receive.go  the asking process reads the numbers, or maps the file they lie in
//	forget_unix.go, forget_other.go
//	            memory given back to the system
package source
