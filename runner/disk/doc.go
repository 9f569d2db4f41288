// Package disk keeps files that several processes, machines and programs share. Each file is
// complete at every moment, a regular file with one name, sealed by a checksum, and locked where
// one writer must be alone.
//
// It knows nothing of runs. Every file operation of a writer goes through atomicfile.Disk. Tests
// replace it by a disk that fails, is killed or loses its power.
//
// Start reading at folder.go.
//
// # Files
//
//	folder.go                 Folder: an open directory, its files by name and never through
//	                          links; modes; folders of this user alone
//	seal.go                   Seal: owner, length and CRC-32C of a file in its last field; the
//	                          checksum of a line of a log; sealed JSON files
//	lock.go                   Lock: one holder, exclusive or shared; waiting; "held" without
//	                          disturbing the holder
//	lease.go, lease_flock.go  a lock on a disk that has none (some network disks): renewed, taken
//	                          over, held by another machine
//	files.go                  Files: how small files beside runs are written, such as a sweep's
//	                          list (by runner/sweep/folder.go); the log of an engine
//	mirror.go                 mirrors: folders that only the process that mirrors may change
//	stamp.go                  a state of a file without its content: size, times, inode
//	free.go, free_other.go    AskFree: the free bytes of a disk, before much is written
//	explain.go                remedies of errors: "disk full", "disk fails", "too many files are
//	                          open"
//	system_flock.go, system_no_flock.go, system_other.go, system_windows.go
//	                          what each system has: file locks, links, owners, numbers of files,
//	                          the errors of a full or failing disk
package disk
