package atomicfile

import "golang.org/x/sys/unix"

func exchange(inA int, a string, inB int, b string) error {
	return unix.RenameatxNp(inA, a, inB, b, unix.RENAME_SWAP)
}
