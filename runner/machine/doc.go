// Package machine says what the machine does while runs train: its GPUs, processor, memory
// and disk, and the processes of each run. It is the home of gopsutil.
//
//	gopsutil, nvidia-smi -> Watch, every 10 s -> a Sample for each run that is followed
//	samples of a run -> Advice (one sentence, or none), Figures (with their past), Lines
//
// A Watch belongs to a queue of runs. Its one goroutine alone waits for system calls and for the
// disk: no run waits for it, and what fails is a figure that is missing. The package knows neither
// files nor terminals.
//
// # GPUs
//
// A Watch starts nvidia-smi twice, once for each query. Each prints a line for every GPU or every
// process, again every 10 s, and ends with the Watch. The program is looked for by its name in the
// PATH of the process, as python3 is; a path that is not absolute does not count. Only numbers are
// kept of what it prints. A line that is too long closes its pipe, and a program that prints
// without end waits after each line. A figure that is older than 25 s does not count, so it does
// not matter why the program is silent. If drolab is killed, nobody reads the pipe, and nvidia-smi
// ends at its next line.
//
// Start at Watch in watch.go.
//
// # Files
//
//	watch.go      Watch: a look at the machine every 10 s, the processes of each run
//	sample.go     Sample, what a look finds: processor, memory, disk, GPUs, workers
//	gpus.go       what nvidia-smi prints
//	advice.go     "GPU waits for data", "the memory is nearly full": the bounds and the words
//	figures.go    the figures with their past and their bounds, and their lines
//	processor.go  the name of the processor, and what this process may use of the machine: of its
//	              processors and its memory
//	cores.go      how busy the processors are that this process may use
//	bound_linux.go, bound_other.go
//	              the processors that this process may run on
package machine
