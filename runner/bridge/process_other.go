//go:build !unix

package bridge

import (
	"io"
	"os"
	"os/exec"
)

const supported = false // a process here inherits no pipes beside its standard streams

func setApart(*exec.Cmd, int) {}

func lockThread() (leave func()) { return func() {} }

func newPollingReader(in io.Reader) io.Reader { return in }

func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		p.Kill()
	}
}
