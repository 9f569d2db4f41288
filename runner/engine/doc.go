// Package engine is the process that owns the runs in training. It outlives the terminal,
// so that its runs do, too. Each runs folder has one engine.
//
//	drolab -> Client --verb-> control socket -> server -> queue.Queue -> a goroutine for each run
//	             │               view socket -> server: status, no verb that changes anything  │
//	             └─ nobody answers: start `drolab engine`, wait until it does                  v
//	any viewer <----------------------------------------------------------------- run directories
//
// Every verb is answered within 10 seconds (replyTimeout). The answer to an unfinished verb
// says that it is late. While a start or a resume reads data, and while a shutdown waits,
// the server sends a blank now and then. A second start is refused if the first one takes
// too long. Memory for a run is reserved before it is allocated, and threads are bounded.
// The user's own files are read by a separate process in bounded memory (source.ReadApart). A
// fault in a mapped file is a failure of the run that reads it.
//
// The sockets carry verbs only: one JSON object a line, a hello from the server, then a reply to
// each request. Both sides identify the runs folder by its number on its disk, and an engine
// answers for its own folder alone. A copied folder has a copied lock file, and a moved folder has
// another path. Progress is read from the runs' directories, without an engine. Only the user who
// started the engine may send requests: the sockets are in a folder of that user, and both sides
// check the identity of the other. The candidates for that folder are the user's runtime folder, a
// folder below /tmp, and the runs folder; a candidate that belongs to another user is skipped.
//
// Each state has one owner. The Queue owns the runs. The lock file in the runs folder,
// while it is held, names the engine and its sockets. The server counts its clients. The
// engine ends some minutes after its last run, and never while a run is live.
//
// It is not a scheduler for several machines, and it knows no terminal. On a system without
// the necessary calls (Supported), runs stay in the process that started them.
//
// Start reading at engine.go for the process, and at client.go for its clients.
//
// # The process beside a script
//
// A script that has its own loop (docs/loop.md) starts a process (loop.go) that holds the script's
// run, as the engine holds other runs, and ends with it.
//
//	script --what it did--> bridge.Script -> train.Run, in the goroutine of a queue.Queue
//	       <---weights----
//	drolab pause, Watch ... ---verbs---> serveRun -> queue.Queue
//
// It has no step, record or order of its own.
//
// # Files
//
//	engine.go         the process: start, idle end, work of its own (a sweep's), runs whose folder
//	                  is gone; what .engine.lock says of the engine
//	server.go         one socket: connections, limits of time, "it was not done in time"
//	verbs.go          the verbs of both sockets: status, start, shutdown, orders; when the engine
//	                  may end
//	protocol.go       messages and their version, limits, Status
//
//	client.go         Client: finds the engine, asks it, "no engine is running", another user's or
//	                  folder's engine
//	launch.go         the start of an engine by a client, .engine.log, an engine of another
//	                  version
//	readonly.go       the verbs of a view that changes nothing
//	conn.go           a connection: one JSON object a line, with limits
//	fault.go          an error and its kind in a reply
//
//	address.go        the paths: .engine.lock, .engine.log, XDG_RUNTIME_DIR, /tmp/drolab-UID,
//	                  .engine
//	sockets.go        both sockets and the lock, made, remade after a logout, removed
//	folder.go         which runs folder is meant: its number on its disk
//	peer_linux.go,    which user is at the other end
//	peer_bsd.go
//	system_unix.go,   whether this system can have an engine; an engine without a terminal; the
//	system_other.go   check of the user
//	logout.go         advice where systemd ends processes at logout (KillUserProcesses,
//	                  systemd-run)
//
//	loop.go           the process beside a script: which run drolab.start wants (resume, from_,
//	                  settings)
//	scriptrun.go      orders from elsewhere to the run of a script
package engine
