// Package track holds what the Watch page remembers of runs: the curves, films, notes and marks of
// each run (Track), and which runs are shown, under the cursor and compared (Runs). It draws
// nothing.
//
//	log -> events -> Track.Add -> Progress   (figures: table, headline, bars)
//	                           -> Curves     (step, value), raw and smoothed
//	                           -> Films      (step, value of each class)
//	                           -> Notes, Markers
//	Runs.Tracks -> Groups (seeds) -> Rows -> package panel
//
// The size of a Track is bounded, however long its run: the buckets of a curve and the columns of a
// film are limited, and only the latest notes and marks are kept. Forty runs need no more memory
// than a few, because a curve has fewer buckets when more runs are watched: the screen has no more
// columns for them.
//
// Events come in the order of the log. Until a Track has read its log to the end, it shows the
// state that the run had when it was opened, because half a log tells nothing about its end. When a
// resume takes steps back, every curve is rewound.
//
// Runs that differ only in the seed are shown as one, with one row, one colour and one line with a
// band, until a key takes them apart.
//
// A Track belongs to the goroutine of the interface. Only its log is read elsewhere: by a command,
// one at a time, which hands the events over in a message.
//
// The package computes no statistic of its own except the mean over the seeds of a row.
// record.Progress decides what a resume takes back and how long a run trained.
//
// Start at track.go, then runs.go.
package track
