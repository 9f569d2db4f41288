package cli

import (
	"os/exec"
	"strings"
	"testing"
)

// TestYieldThread: a goroutine that yields has a low priority, and what another one starts has not.
func TestYieldThread(t *testing.T) {
	nice := func() string {
		out, err := exec.Command("nice").Output()
		if err != nil {
			t.Error(err)
		}
		return strings.TrimSpace(string(out))
	}
	before, low, other := nice(), make(chan string), make(chan string)
	go func() { // its thread ends with it
		yieldThread()
		low <- nice()
		go func() { other <- nice() }()
		<-low
	}()
	if got := <-low; got == before {
		t.Errorf("the priority is %s, want a lower one", got)
	}
	if got := <-other; got != before {
		t.Errorf("the priority of what another goroutine starts is %s, want %s", got, before)
	}
	low <- ""
}
