//go:build darwin || freebsd || linux

package engine

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
)

// Supported reports whether this system has what an engine needs.
const Supported = true

// detach makes cmd run in a session of its own, without a terminal.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// sameUser refuses a peer that is another user, root included: whoever may become this user can ask
// as this user.
func sameUser(c net.Conn) error {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return fmt.Errorf("a connection of type %T, expected a unix socket's", c)
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return err
	}
	var uid int
	var asked error
	if err := raw.Control(func(fd uintptr) { uid, asked = peer(int(fd)) }); err != nil {
		return err
	}
	if asked != nil {
		return fmt.Errorf("finding out who is at the other end: %w", asked)
	}
	if own := os.Getuid(); uid != own {
		return fmt.Errorf("the other end is user %d, not %d", uid, own)
	}
	return nil
}
