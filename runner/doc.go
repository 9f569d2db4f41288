// Package runner is the vocabulary of runs, which all packages below it share. It has the settings
// and origin of a run (Meta), its messages while it trains (Event), the state that a resume needs
// (State) and its result (Summary). Interfaces record them (Store, Recorder) or pass the requests
// that a run obeys (Verbs). It trains nothing and keeps no file.
//
//	spec.Spec --> queue.Queue --> goroutine per run: train.Run
//	                                └--> Event --> Recorder --> files --> any number of viewers
//	Verbs (pause, stop, ...) --> a run's train.Gate, looked at between two steps
//
// Each state has one owner. The queue owns the list of runs and the datasets that they
// share. The run's goroutine owns the network, the method's state (such as z), random
// streams and buffers; a loader may prepare the next batch beside it. The Recorder owns the
// event log, and a viewer owns its screen. Nothing between a batch and its update waits for
// a viewer. A run waits for a slot, for a resume, and for free space on the disk.
//
// Start reading at train/step.go: one training step as a list of verbs. The settings are
// the rows of package spec, the measures the rows of package measure, and package
// certificate measures runs afterwards.
//
// # Files
//
//	meta.go     run.json as Meta: settings, host, data, steps, box, import and claims; what runs
//	            of one configuration share; BeyondBox, how far the best λ, η is outside of the box
//	store.go    the interfaces of those who keep runs: Store, Recorder, Workplace (program.log,
//	            scratch folder), Observer, Reread; DiskError, a write that may be tried again
//	request.go  what is asked of runs: Request, Means (threads, data folder, the step to stop at),
//	            the verbs pause, resume, stop, checkpoint, knob; the reasons to refuse one
//	            (ErrBusy ...); the default of --parallel and the most threads
//	command.go  the commands that the program advises, with --runs and --box (Place)
//
//	event.go      the lines of a run's log: status, step, eval, warning, alert, checkpoint, resume,
//	              knob; the states of a run (queued ... interrupted)
//	eventjson.go  these lines as JSON, there and back
//	window.go     the least and greatest value of each measure between two step events (min, max)
//	heaviest.go   the samples with the largest weights in an evaluation (heaviest)
//	state.go      State, what a checkpoint holds; copies of tensors; Opaque, what only a program
//	              can read
//
//	summary.go     summary.json: the result of a run, PaperIterate (the output of Algorithm 1),
//	               the ε of the two-part test
//	average.go     window_average: the mean of the last 5 evaluations, as in the paper
//	selection.go   the setting select: which measure it names, the selected step's results, which
//	               of equal evaluations is taken (select_ties), what data lack for it
//	uservalues.go  the better side of a program's own values in a table of runs
//
//	fork.go        RUN@STEP taken apart, and the settings with which a fork begins
//	open.go        the dataset, the encoder and single samples of a run that was made before; the
//	               error for other data (checksum) and for files that were cut
//	newtrainer.go  a method started on counts of data; what a last layer that is fitted again
//	               needs (min_group)
//	program.go     the record of a program or script in run.json; how such a run is continued;
//	               what has no network of drolab's own
//	preset.go      a preset as a value
//	fault.go       the kind of an error on its way to another process
//	reading.go     how far data or runs are read, with the time left (ETA)
//	split.go       the names train, val, test
//	panic.go       "internal error": a panic as one line, and its report .panic-*.txt
//	text.go        text from elsewhere as one line for a terminal
package runner
