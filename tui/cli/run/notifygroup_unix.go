//go:build unix

package run

import (
	"os/exec"
	"syscall"
)

// endWhole makes the end of the command's context end all that the command has started, too.
func endWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
