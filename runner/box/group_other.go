//go:build !unix

package box

import "os/exec"

func setApart(*exec.Cmd) {}

// A command here cannot be asked to end.
func interruptGroup(cmd *exec.Cmd) { cmd.Process.Kill() }

func hangUp(cmd *exec.Cmd) { cmd.Process.Kill() }

func signalStatus(*exec.ExitError) int { return 1 }
