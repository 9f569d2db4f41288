//go:build darwin || freebsd || linux

package disk

import "golang.org/x/sys/unix"

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
