//go:build unix && !linux

package bridge

import (
	"os/exec"
	"syscall"
)

const supported = true

// apart gives a command a group of its own.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// stay does nothing where no thread matters.
func stay() (leave func()) { return func() {} }

func killGroup(pid int) { syscall.Kill(-pid, syscall.SIGKILL) }
