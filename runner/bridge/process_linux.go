package bridge

import (
	"os/exec"
	"runtime"
	"syscall"
)

const supported = true

// apart gives a command a group of its own. The system kills it when drolab is killed:
// one that computes does not look at its pipes.
func apart(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// stay keeps a goroutine on its thread until it is called back.
func stay() (leave func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

func killGroup(pid int) { syscall.Kill(-pid, syscall.SIGKILL) }
