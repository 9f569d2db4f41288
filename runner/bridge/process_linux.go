package bridge

import (
	"os/exec"
	"runtime"
	"syscall"
)

const supported = true

// setApart puts a command into a process group: 0 is one of its own. The system kills the command
// when drolab is killed, since a program that computes does not look at its pipes.
func setApart(cmd *exec.Cmd, group int) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: group, Pdeathsig: syscall.SIGKILL}
}

// lockThread keeps the goroutine on its thread until leave is called.
func lockThread() (leave func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

func killGroup(pid int) { syscall.Kill(-pid, syscall.SIGKILL) }
