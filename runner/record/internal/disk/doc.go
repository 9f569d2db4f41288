// Package disk keeps files that several processes, machines and programs share: each is
// whole at every moment, a regular file of its own, sealed by a checksum, and locked
// where one writer must be alone.
//
//	Folder    an open directory: files by name, never through links   disk.go, json.go
//	Lock      one holder, also on disks without locks                 lock.go, lease.go, local.go
//	Seal      the checksum of a line or a file in its last field      seal.go
//	Files     small files beside runs                                 files.go
//
// It knows nothing of runs. All that a writer does to files goes through aside.Disk, in
// whose place tests put one that fails, is killed or loses its power.
//
// Start reading at disk.go.
package disk
