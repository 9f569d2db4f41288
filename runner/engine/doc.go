// Package engine is the process that owns running runs. It outlives the
// terminal, so that runs do; there is one for each runs folder.
//
//	drolab -> Client --verb-> control socket -> Server -> queue.Queue -> goroutine a run -> run
//
// directories
//
//	             │                 view socket -> Server: status, no verb that changes anything
//	             └─ nobody answers: start `drolab engine`, wait until it does
//	any viewer <--------------------------- run directories
//
// Every verb is answered within 10 seconds (patience). A verb that is not done by then says so. A
// start or a resume that reads data, and a shutdown, send a blank now and then. While one start
// is prepared, another is refused after a while. A run asks for memory before it takes any, and
// threads are bounded. The user's own files are read by a separate process in bounded memory
// (data.ReadApart). A fault in a mapped file fails the run that met it.
//
// The sockets carry verbs only: one JSON object a line, a hello of the server, then a reply for
// each request. Both sides name the runs folder, by its number on its disk, and an engine answers
// for its own alone: a copied folder has a copied lock file, and a moved one has another path.
// What runs do is seen in their directories, which need no engine to be read. Only the user who
// started the engine may ask it anything: the sockets lie in a folder of that user alone, and
// both sides look at who the other one is. They are in the first of these folders that no other
// user owns: the user's runtime folder, a folder below /tmp, the runs folder.
//
// One owner of each state: the Queue has the runs, the lock file in the runs
// folder says, while it is held, who is the engine and where its sockets are, and
// the Server counts whom it serves. The engine ends some minutes after its last
// run and never while one is live.
//
// It is not a scheduler for several machines, and it knows no terminal. Where
// the system lacks what it needs (Supported), runs stay in the process that
// started them.
//
// Start reading at engine.go for the process, and at client.go for its clients.
package engine
