// Package look has the commands that read runs, data and losses and change none: runs, show,
// compare, report, record, export, eval, certify, risk, plan, data and others. Of these doctor
// alone may mend files, and data fetch and import bring some.
//
// It writes some output itself: the tables of compare, the files of record and the page of report
// --into. The statistics come from runner/compare.
//
// Start at look.go, which lists the commands. Each has the file of its name.
//
// The commands about worst cases have no formulas; those are in dro and runner. They read one
// format, the list of losses, and write the weights of risk and the pictures of eval.
//
// # Files
//
//	look.go  start here: Commands, the list
//
//	alerts.go   alerts: `--since`, what happened to runs
//	runs.go     runs: `--filter`, `--sort`, `--columns`, `--limit`, `--all`, `--jsonl`
//	show.go     show: settings, origin, result, the paper's output, selected step and average of
//	            one run; `--system` for its machine
//	doctor.go   doctor: every file of all runs is checked, `--mend` repairs; versions of Python
//	            and torch
//	compare.go  compare: the paper's Table 1 over seeds; `--at`, `--family`
//	report.go   report: the claims of a study, or runs on a page; `--md`, `--latex`, `--html`,
//	            `--width`, `--interim`, `--into` (tables in a Markdown file)
//	record.go   record: packs runs into small files; `--checkpoint`, `--into`
//	export.go   export: runs for other programs; `--to`, `--out`
//
//	risk.go          risk: exact worst-case mean of given losses, λ, η, effective n; `--curve`,
//	                 `--groups`, `--column`, `--weights` (writes the likelihood ratios as CSV)
//	certify.go       certify: bound on the worst-case risk R_ρ with confidence; `--uncertainty`,
//	                 `--rho`, `--k`, `--mu`, `--split`, `--level`, `--draws`, `--seed`,
//	                 `--max-loss`, `--output`, `--stationary`
//	certificates.go  tables and words of certify: bounds, intervals, difference of two runs
//	eval.go          eval: a checkpoint on data; `--dataset`, `--split`, `--rho`, `--top`,
//	                 `--draws`; `--out` (writes predictions), `--sheet`
//	sheet.go         the pictures of eval `--sheet`, which writes a PNG file
//	features.go      features: `--out` writes the inputs of the last layer as a .npz file
//	sets.go          the flags `--uncertainty`, `--rho`, `--k`, `--mu` of risk and plan
//	losses.go        the list of losses that risk reads: a column of a CSV file, or one loss a
//	                 line
//	checkpoint.go    loads and freezes the network of a checkpoint
//
//	plan.go       plan: constants of the paper's Theorem 1 for `--epsilon`, `--bound`,
//	              `--lipschitz`, `--smoothness`, `--gap`, or measured `--from` a run
//	theory.go     theory: rates against samples seen, noise of mini-batches, constants of a run;
//	              `--log`, `--draws`, `--samples`, `--batches`
//	theorem.go    theory over several runs: is Theorem 1 kept, and the slopes against ε
//	constants.go  theory RUN@all: G, L and L_z at every kept checkpoint
//
//	data.go      data, with data list and data fetch (`--url`)
//	datashow.go  data show: splits, classes, groups, columns, missing values, and the warnings on
//	             the data (`--val-fraction`, `--min-group`)
//	import.go    import: logs and predictions of other programs as runs; `--method`, `--preset`,
//	             `--set`, `--split`, `--seed`, `--as`, `--map`, `--mapping`, `--keep`, `--groups`
//	importplan.go    what would become of what (`--dry-run`)
//	importfollow.go  a log that another program is writing (`--follow`, `--idle`)
//	presets.go   presets: the list, or one with its settings and reasons
//
//	outcome.go  the end of run and resume on one screen: story, table with changes from the
//	            baseline, marks, curves of the worst class, "Next:"
//	results.go  every figure of runs, a row for each measure (run and resume, where there is no
//	            terminal); show's rows per class or group; definitions (`--explain`); settings and
//	            average in `--json`
package look
