//go:build unix && !linux

package bridge

import (
	"os/exec"
	"syscall"
)

const supported = true

// apart puts a command into a process group of its own.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// stay does nothing: on this system it does not matter which thread starts a program.
func stay() (leave func()) { return func() {} }

func killGroup(pid int) { syscall.Kill(-pid, syscall.SIGKILL) }
