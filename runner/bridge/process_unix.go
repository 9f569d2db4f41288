//go:build unix && !linux

package bridge

import (
	"os/exec"
	"syscall"
)

const supported = true

// setApart puts a command into a process group: 0 is one of its own.
func setApart(cmd *exec.Cmd, group int) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: group}
}

// lockThread does nothing: on this system it does not matter which thread starts a program.
func lockThread() (leave func()) { return func() {} }

func killGroup(pid int) { syscall.Kill(-pid, syscall.SIGKILL) }
