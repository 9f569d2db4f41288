// Package data gives the training loop its samples: datasets, class imbalance, and seeded loaders with exact
// resume.
//
// It is a set of readers and one batch maker. It is not a training loop, holds no model and knows no screen;
// of this program it imports packages of runner/internal alone.
//
//	file or generator -> Source (random access) -> subset (cap, imbalance, hold-out) -> Loader -> Batch
//
// One's own files may have been made to hurt. A program that says how ([ReadApart]) has each data set of them
// read by a process of its own, in bounded memory:
//
//	Open -> starts the program again -> Serve reads files, sends samples -> Open goes on with them
//
// What is read is the same to the bit, here or there. Arrays so large that they are mapped are checked there
// and mapped here. Start at apart.go, and wire.go for what is sent.
//
// Pixels stay bytes until a batch is made; a [Loader] crops, flips and normalises with one table look-up a
// value. What a loader gives is a pure function of (source, options, epoch, step), so its [State] is two
// counters.
//
// Two datasets are drawn. "shapes" is images. "spurious" is a table of 64 features with a shortcut: x =
// y·u + 3·s·v + N(0, I), where u and v are orthogonal unit vectors, y = ±1 is the label, and s = ±1, an
// attribute, is y in 97 % of the training samples and in half of the test samples. Its groups are (y, s).
//
// Start at [Open] (a [Dataset] by name), then [NewEpochs], [NewDraws] and [NewSequential]. [Fetch] downloads.
//
// A data source is a [Provider]. To add one, write a file with a function that returns it, whose Open reads
// or draws the whole of both splits as two values of [Source] (images as [ImageSource]), and name the
// function in registry (provider.go). Everything that opens, fetches, lists, completes, estimates or starts
// ranges over the registry, so no other package changes; provider_test.go adds one in this way, by
// [Register].
package data
