// Package data gives the training loop its samples: datasets, class imbalance, and seeded loaders
// with exact resume.
//
// It is a set of readers and one batch maker. It is not a training loop, holds no model and knows
// no screen; it imports packages of runner/internal and of its own folder internal alone.
//
//	file or generator -> Source (random access) -> subset (cap, imbalance, hold-out) -> Loader
//	-> Batch
//
// The folder internal has the readers, a package for each kind of file. They build on the package
// dataset, whose types this package shows to the program (open.go). To change what a data set is,
// start in dataset.
//
// A user's own files may be malicious. After a call of [ReadApart], a separate process reads each
// data set of such files, in bounded memory:
//
//	Open -> starts the program again -> Serve reads files, sends samples -> Open goes on with them
//
// Both ways give the same bits. The reading process checks an array that is large enough to be
// mapped, and this process maps it. Start at apart.go.
//
// Pixels stay bytes until a batch is made; a [Loader] crops, flips and normalises with one table
// look-up a value. A loader's batches are a pure function of (source, options, epoch, step), so
// its [State] is two counters.
//
// Start at [Open] (a [Dataset] by name), then [NewEpochs], [NewDraws] and [NewSequential]. [Fetch]
// downloads.
//
// A data source is a [Provider]. To add one, write a file with a function that returns the
// provider: in the package below internal that reads similar files, or here if it is drawn. Its
// Open reads or draws the whole of both splits as two values of [Source] (images as
// [ImageSource]). Then name the function in registry (open.go), and add a row to docs/data.md.
// Everything that opens, fetches, lists, completes, estimates or starts ranges over the registry,
// so no other package changes; provider_test.go adds one in this way, by [Register].
//
// # Data sets that are drawn
//
// "shapes" is images. "spurious" is a table of 64 features with a shortcut:
// x = y·u + 3·s·v + N(0, I), where u and v are orthogonal unit vectors and y = ±1 is the label. The
// attribute s = ±1 is y in 97 % of the training samples and in half of the test samples. Its groups
// are (y, s). Both are drawn from a seed (synthetic.go), the same to the bit on every machine.
//
// # Arrays
//
// NumPy's .npy and .npz, and safetensors, are read as samples (arrays.go). Large files are mapped
// where the system can, so that their samples stay in the file. An array in a compressed archive is
// unpacked into memory, if there is room for it.
package data
