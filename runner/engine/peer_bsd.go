//go:build darwin || freebsd

package engine

import "golang.org/x/sys/unix"

// peer returns the user at the other end of a socket, as of its connect.
func peer(fd int) (uid int, err error) {
	const solLocal = 0
	c, err := unix.GetsockoptXucred(fd, solLocal, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(c.Uid), nil
}
