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
// mapped, and this process maps it. apart.go has the two processes, wire.go has what one sends to
// the other.
//
// Start at [Open] in open.go. The tests of all readers are here, too: they open data sets by name,
// as users do.
package source
