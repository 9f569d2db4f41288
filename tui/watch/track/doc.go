// Package track is what the page Watch keeps of runs: the curves, films, notes and marks of
// each (Track), and which of them are shown, pointed at and compared (Runs). It draws nothing.
//
//	log -> events -> Track.Add -> Progress   (figures: table, headline, bars)
//	                           -> Curves     (step, value), smoothed besides
//	                           -> Films      (step, value of each class)
//	                           -> Notes, Markers
//	Runs.Tracks -> Groups (seeds) -> Rows -> package panel
//
// The size of a Track is bounded, however long its run: a curve has at most so many buckets,
// a film so many columns, and of notes and marks the latest are kept. Forty runs are watched
// in the memory of a few, because a curve has fewer buckets where more runs are watched: a
// screen has no more columns for them.
//
// Events come in the order of the log. A Track that has not come to the end of its log shows
// how the run stood when it was opened, since half of a log tells nothing about its end.
// What was taken back by a resume is rewound in every curve.
//
// Runs that differ in their seed alone are one thing seen several times: one row, one colour,
// one line with a band, until a key takes them apart.
//
// A Track belongs to the goroutine of the interface. Its log alone is read by a command, one
// at a time, which hands the events over in a message.
//
// It computes no statistic of its own but the mean over the seeds of a row. What a resume takes
// back and how long a run trained is record.Progress's to say.
//
// Start at track.go, then runs.go.
package track
