// Package disk keeps files that several processes, machines and programs share. Each file is
// complete at every moment, a regular file with one name, sealed by a checksum, and locked where
// one writer must be alone.
//
//	Folder    an open directory: files by name, never through links   folder.go
//	Lock      one holder, also on disks without locks                 lock.go, lease.go
//	Seal      the checksum of a line or a file in its last field      seal.go
//	Files     small files beside runs                                 files.go
//	AskFree   the free bytes of a disk, before much is written        free.go
//
// It knows nothing of runs. Every file operation of a writer goes through atomicfile.Disk. Tests
// replace it by a disk that fails, is killed or loses its power.
//
// Start reading at folder.go.
package disk
