package engine

import "golang.org/x/sys/unix"

// peer returns the user at the other end of a socket, as of its connect.
func peer(fd int) (uid int, err error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(c.Uid), nil
}
