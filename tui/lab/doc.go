// Package lab is shared by the interface's pages. It has the place where runs are read, the
// requests that runs take, the messages from page to page, and the notation of a run's state,
// settings and figures.
//
// It draws nothing. Pages import it and not each other.
//
// # Files
//
//	lab.go       start here: Lab, the state that all pages share; requests to runs (Start,
//	             Ask, Turn)
//	config.go    Config, what the interface is opened with: read-only, shared, film, replay;
//	             reads the value of `--ring`
//	messages.go  messages from page to page, and to all pages: Watch, Compare, Fork, Samples,
//	             Listed, Over, Started, Answered
//	source.go    Source, where runs are read: a folder, its catalogue, fixed runs
//	boxes.go     the runs of other machines beside those of this one
//	far.go       what is done to runs of other machines, and by which command where it is not done
//	             from here; runs of a box without a link, as they were known last; what a box says
//	             of its machine
//	looking.go   how often the folder is looked at; which live runs have ended
//
//	state.go     glyphs and counts of states (✓ ▶ ‖ ✗)
//	measure.go   measures of steps, evaluations and summaries that can be shown; 95 % t interval;
//	             the two speeds; test_ and val_ names
//	colors.go    variants of methods: the number behind the mark
//	dialogs.go   a dialog opens at once (Show), or gets the keys typed until it opens (Opening)
//	memory.go    memory that is no longer used goes back, if it is much
//	describe.go  which run it is, for questions about runs
//	define.go    marks (g), (c), (l) of a method; definitions that `i` shows, a plain sentence
//	             first
//
//	choice.go  choices that are kept, and the key `0` that resets them
//	views.go   the file in which the choices of each folder of runs are kept
//	replay.go  speed and place of a replay, as "40%" and "3m20s"
//	trust.go   the question before a program is started for the first time
package lab
