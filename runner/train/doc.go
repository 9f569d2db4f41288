// Package train trains one network with one method on one dataset: a Run belongs to one goroutine,
// which owns the network, the method's state, the random streams and the buffers. It contains no
// formula of a method and does not know of other runs.
//
//	a step (step.go):  loader -> network: losses -> dro: weights
//	                          -> network: gradient, step -> dro: state
//	between two steps: orders (orders.go), checkpoints (checkpoint.go), knobs (knob.go)
//	after an epoch:    measures of whole splits (evaluate.go), the selected step (selection.go)
//
// Where a program on a GPU computes the weights itself, the network has a step before drolab has
// its losses (ahead.go).
//
// Where a script drives the loop, there is no network: its Leader calls the two parts that belong
// to the method, Weigh and Stepped, before and after the script moves x (leader.go).
//
// A run's numbers depend on its Meta, its data and its kernel. They do not depend on the clock,
// or on pauses and resumes. Code that would break this rule belongs elsewhere. Start at step.go:
// one training step as a list of verbs.
//
// # The gate
//
// A run waits at its Gate (gate.go): for one of the slots that training needs, for a resume, for
// space on the disk. Orders reach a run through its gate between two steps. A gate never trains and
// never decides. It blocks the run's goroutine, and meanwhile carries out the orders that need no
// slot. A queue sends orders, and the run's goroutine does the rest.
//
// # Files
//
//	step.go    one training step, as a list of verbs; the step size α, the method's own draw of
//	           samples, when a step is logged (log_every); the warnings of methods are passed on
//	           here
//	run.go     Plan and Run: how a run is built, its loop, what is due between steps and epochs,
//	           its end (calls for summary.json and the last status)
//	input.go   the batches of x and of the method's own draws, their streams of random numbers,
//	           buffers; the settings augment, pad, mean and std as options of the loader
//	method.go  the method at work with clip, optimizer and its own x-step; its dual variables and
//	           picked iterate
//	ahead.go   the step of a network that computes the weights itself, ahead of drolab (Stepper)
//	leader.go  the run of a script that has the loop (Leader, ErrLeft); warnings of batch size,
//	           steps, missing passes, grad_norm and ranks that overlap
//
//	network.go  Network, what a run needs of a model: Learner trains, Keeper keeps the chosen x,
//	            Saver fills checkpoints; the last layer, predictions, the rule of an x-step
//	native.go   the network of dro/nn as a Network; the name of its kernel in run.json
//
//	evaluate.go   an evaluation: passes over the splits, exact worst cases, the full gradient
//	              (certify_every); evaluation warnings are logged here, worded by runner/measure
//	pass.go       a forward pass over a split, predictions, ‖mean w ∇ℓ‖ over the training split
//	output.go     the paper's output x_{t'+1}: its stationarity and its test accuracy
//	selection.go  select and patience: which evaluation is selected, the warnings of ties and of
//	              lost patience
//	refit.go      the last layer fitted again at the end (afr, dfr), and its features
//	optimum.go    the setting optimum: min over x of R_ρ of a linear model, before the run starts;
//	              the training split as a table
//	measuring.go  a checkpoint's network, to be measured and not trained
//
//	meter.go      measures of the step under way, min and max between step events, the values that
//	              a program logs
//	stopwatch.go  images_per_second
//	warnings.go   warnings at the start of a run: classes or groups without samples, lr that never
//	              drops, a validation split that a refit takes; warnOnce
//	alerts.go     the alert that the worst class falls behind its best, and those that others send
//	forecast.go   what runs would warn of, and the space that they take, before they start: the data
//	              are read for it
//	broken.go     "step ...: ... is NaN", with its cure: which settings to change
//
//	checkpoint.go  what a checkpoint holds, when one is due, the kept state of the selected step;
//	               restoring
//	gate.go        the gate: slots, pause and resume, waits for a full disk, the orders on the way
//	orders.go      orders between two steps: pause, stop, checkpoint; writes that wait for the
//	               disk
//	knob.go        a setting changed live (a knob), and changes repeated after a resume
//
//	memory.go  the memory that a run will take, whether it fits the machine, what is reserved
//	pace.go    how long runs will take: the cost of a method's step in steps of ERM
//	bench.go   the times of steps of each method, of layers, and the share of the peak (drolab
//	           bench)
//	noise.go   the random pictures of these measurements
package train
