// Package cli is drolab's command line. It assembles the commands, which lie in a package below it
// for each family, and gives them a console, which holds their environment (console.Env).
//
//	args -> Main -> cobra -> a command of run, which starts runs and sends them requests,
//	                         of look, which reads runs and data,
//	                         or of console, which finds runs and prints for all of them
//
// It is not a library: main.go calls Process, which calls Main, and nothing else does.
//
// Start at Main. A command is a function that returns a *cobra.Command, in a file of its
// family, and an entry in the family's Commands.
//
// # The process
//
// Process (process.go) is the program as a system starts it, except for its exit. It gives
// environment, signals and streams to the commands. Nothing else reads the environment. Its tests
// run the program as a whole, with terminals that close, readers that leave, engines that are
// killed and disks that fill up.
//
// # Files
//
//	cli.go           Main; the help with its groups of commands; the flags of all commands:
//	                 `--box`, `--data`, `--runs`, `--threads`, `--notify`, `--ring`, `--wide`, `--all`,
//	                 `--version`; what is said of a flag with a wrong value
//	process.go       Process; environment (DROLAB_DATA, DROLAB_RUNS, DROLAB_NOTIFY, DROLAB_NOTIFY_LEVEL, DROLAB_RING,
//	                 DROLAB_DEBUG, DROLAB_BOXES,
//	                 DROLAB_SSH, XDG folders), signals, the process that reads a data set
//	boxside.go       what ssh starts on another machine (package runner/box)
//	priority_linux.go,    the low priority of that process, which an engine does not inherit
//	priority_other.go
//	forwarded.go     what ssh starts there to run a command
//	limitsignal_unix.go,  the signal USR1, by which a cluster warns before a time limit
//	limitsignal_other.go
package cli
