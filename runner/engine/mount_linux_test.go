package engine

import (
	"testing"

	"golang.org/x/sys/unix"
)

// bindMount gives a folder a second path until the test ends.
func bindMount(t *testing.T, from, to string) error {
	err := unix.Mount(from, to, "", unix.MS_BIND, "")
	if err == nil {
		t.Cleanup(func() { unix.Unmount(to, unix.MNT_DETACH) })
	}
	return err
}
