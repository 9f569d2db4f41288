//go:build !(darwin || freebsd || linux)

package engine

import (
	"errors"
	"net"
	"os/exec"
)

// Supported reports whether this system has what an engine needs.
const Supported = false

func detach(*exec.Cmd) {}

func sameUser(net.Conn) error {
	return errors.New("this system does not say who is at the other end: use --inline")
}
