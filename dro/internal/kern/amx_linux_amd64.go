//go:build !purego

package kern

import "golang.org/x/sys/unix"

// tilesPermitted asks Linux for the state of AMX's tiles, for all threads of the process. Linux
// refuses if it is older than 5.16 or does not have the state itself (then XCR0 has not either). It
// also refuses if a signal stack of the process is too small; Go's are not.
func tilesPermitted() bool {
	const (
		requestPermission = 0x1023 // ARCH_REQ_XCOMP_PERM
		tileData          = 18     // XFEATURE_XTILEDATA
	)
	_, _, err := unix.RawSyscall(unix.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return err == 0
}
