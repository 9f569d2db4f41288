//go:build darwin || freebsd || linux

package disk

import (
	"path/filepath"

	"golang.org/x/sys/unix"
)

// reservedShare is the share of a disk's free bytes that is left to others.
const reservedShare = 0.05

// AskFree returns the error of a full disk where fewer than this number of bytes are free on the
// disk of a folder.
func AskFree(folder string, bytes float64) error {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) == nil &&
		bytes > float64(s.Bavail)*float64(s.Bsize)*(1-reservedShare) {
		return unix.ENOSPC
	}
	return nil
}

// withoutInodes reports whether the disk of a path has free bytes, and no inode for one more file.
func withoutInodes(path string) bool {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil && unix.Statfs(filepath.Dir(path), &s) != nil {
		return false
	}
	return s.Files > 0 && s.Ffree <= 0 && s.Bavail > 0
}
