// Package loop is the process beside a script that has its own loop (docs/loop.md). It holds the
// script's run, as the engine holds other runs, and ends with it.
//
//	script --what it did--> bridge.Script -> train.Run, in the goroutine of a queue.Queue
//	       <---weights----
//	drolab pause, Watch ... ---verbs---> engine.Beside -> queue.Queue
//
// It has no step, record or order of its own. Start at Serve.
package loop
