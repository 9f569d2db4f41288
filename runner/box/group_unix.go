//go:build unix

package box

import (
	"os/exec"
	"syscall"
)

// setApart puts a command into a process group of its own, so that a Ctrl-C at the terminal does
// not reach it.
func setApart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interruptGroup does what Ctrl-C at a terminal does, and hangUp what closing the terminal does.
func interruptGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }

func hangUp(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP) }

// signalStatus returns the exit status of a command that a signal has ended, as shells give it.
func signalStatus(exit *exec.ExitError) int {
	if s, ok := exit.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return 128 + int(s.Signal())
	}
	return 1
}
