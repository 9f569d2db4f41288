// Package compare makes tables over runs and seeds. A row is a group of runs that
// differ in nothing but the seed, and in how often they were looked at or saved. A
// cell has the mean of a measure over the seeds, its standard deviation, and the
// half width of its t interval. The best row of a column is marked only where the
// seeds support it. Notes say what makes the comparison unfair; they are data, for
// whoever shows the table.
//
//	runs -> groups (group.go) -> cells (table.go) -> best per column (significance.go) -> Table
//	                                              -> notes (note.go)
//
// The result depends on the runs alone, in any order; where the catalogue does not know whether a
// run mixes settings, its log is read. The package lays nothing out, and selects nothing: every
// finished run that it is given is in the table or named in a note.
//
// Start reading at table.go.
//
// # The filter
//
// A Filter is a typed condition on runs, such as rho>=0.5.
//
// # The story
//
// A Story says in one sentence what some runs have come to: who leads in the worst class, by how
// much, since when, and what that costs in mean accuracy.
//
//	[]StoryRun -> who counts, at which epoch -> facts, what is measured -> clauses -> Story
//
// The clauses are a table (story.go). A clause has its topic, the condition under which it is said,
// its words and its figures. It never says more than its facts do:
//
//   - All runs are taken at the same epochs, those of a Clock: a figure is the mean of the last
//     five evaluations that all of them have, since single evaluations swing, and of a method that
//     refits the last one alone. The page Watch has the same figures in its table and its panels.
//   - A fork counts from its own evaluations on, once it has as many as are averaged.
//   - A lead that the last evaluation alone contradicts is told as two figures, not as a lead.
//   - Before a fifth of the run, and while a class stands at 0, it is too early to say anything.
//   - With fewer than four seeds the sentence says how many seeds it covers, and tests nothing.
//   - From four seeds on a difference has its 95 % t interval over paired seeds, with Bonferroni's
//     correction, since the method in the sentence was chosen among several.
//   - That something costs nothing is never said.
//   - A run that failed, diverged or fell behind is named, and counts nowhere else.
//
// # Files
//
//	table.go     the table: options, rows, columns, cells; exact figures for files
//	group.go     which runs are one row: those that differ in the seed; repeated seeds, order of
//	             rows
//	step.go      the last or the selected step of the runs, and the note about ties
//	diff.go      the settings in which runs differ
//	runnames.go  short names of runs: method, preset, differing settings ("ρ .2"), forks, "#2";
//	             shorter forms
//	question.go  rows that may be compared: same data, loss, set and radius, as the measure asks;
//	             marks for methods that use groups, classes or labels
//	worst.go     worst class or group; too few samples (min_group)
//
//	statistics.go    mean, deviation, t interval, paired t, Welch's t, equivalence (TOST), power,
//	                 Holm
//	significance.go  the best row of a column (*), and its tests, corrected by Holm
//	tradeoff.go      what robustness costs: points in two measures, which of them are on the front,
//	                 the sentences that name it
//	legend.go        the sentences below and above the table: what *, ± and ? mean; column titles
//	note.go          the notes, by kind: unfinished, repeated, budget, dataset, model, problem,
//	                 seeds, few ...
//
//	filter.go      conditions on runs as typed: words, KEY:VALUE, rho>=0.5, OR, NOT, parentheses
//	filtertime.go  times in them: started>-1h
//	unknown.go     why a filter selects nothing: a value that no run has
//	complete.go    what a word of them may become
//	curve.go       the mean curve of runs with its t interval, at common epochs
//	clock.go       the evaluations that all figures of runs that go on are means of
//	story.go       the sentence: its clauses with their conditions, words and figures
//	facts.go       what the clauses say: who leads, by how much, since when; too early, one class
//	comparison.go  which runs the sentence counts, at which epoch and seeds, and who is left out
package compare
