// Package console holds what the commands share: their environment (Env), their output, the search
// for runs by name, numbers and tables as text, JSON, errors, and checks of arguments.
//
//	words -> Find, FindStep, FindSeveral -> record.Run
//	text  -> Stdout, Stderr              -> the terminal, cleaned
//
// Printed text goes through Stdout and Stderr, which clean it: names and settings come from files
// that anybody may have written. The package sends no request to a run. The
// command bench is here, since other commands ask for the time of a training step (stopwatch.go).
//
// Start at console.go, then find.go and result.go.
//
// # Files
//
//	console.go    start here: Env and Console, notes on stderr, what was left out or passed over;
//	              the package's Commands
//	boxes.go      `--box`: runs of other machines
//	command.go    the commands that the program advises, with --runs and --box
//	forward.go    `--box` of all other commands, which run on the box; the exit status
//	boxcommand.go  box, and box forget
//	install.go    box install: `--check`, `--binary`
//	find.go       runs by name: RUN, its start, `latest`, RUN@STEP, RUN@selected, a packed file,
//	              `recorded:`; a study by its file
//	arguments.go  checks of the number of arguments; "did you mean" for an unknown command, also
//	              for words of other programs
//	alone.go      flags of which a command takes one alone
//	complete.go   completion in the shell, of runs, presets and words of flags
//	numbers.go    flags that take numbers read them by the rule of runner/numeral (1_000, 1e-3; no
//	              octal)
//	confirm.go    the question before something is removed (`--yes`)
//	errors.go     several errors, a line each (Failures), and "drolab: ..." (PrintError)
//
//	result.go    `--json`, `--explain`, and the forms of a table: `--csv`, `--latex`, `--md`
//	status.go    the status of a run in a line; the object that run, runs, show and resume print
//	             with `--json`
//	page.go      pages, tables and charts as text of the terminal's width; "and N more rows:
//	             --all"
//	figures.go   accuracies in percent, losses, rates and intervals as text
//	meter.go     progress of downloads and readings, with ETA; the bar of it
//	terminal.go  whether there is a terminal, its size, and the theme of printed text (NO_COLOR)
//
//	bench.go      bench: time of a step, GFLOP/s and roofline, layer by layer with `--model`;
//	              `--precision`, `--convolution`; estimates for presets
//	stopwatch.go  estimates the time of runs from measured steps, for bench and studies
//	version.go    the program and the machine as runs record them: revision or checksum, CPU
//	debuglog.go   what DROLAB_DEBUG=FILE writes of the program, the machine and the command
//	collector.go  garbage collection: early, and with one core for an interface
package console
