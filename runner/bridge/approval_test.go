package bridge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestApprovalThatCannotBeWritten: a home that cannot be written is named with the remedy.
func TestApprovalThatCannotBeWritten(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	if err := os.WriteFile(home, nil, 0o600); err != nil { // no folder can be in it
		t.Fatal(err)
	}
	folder := filepath.Join(home, "programs")
	err := Approvals(folder).Admit(Approval{"/train.py", strings.Repeat("0", 64)})
	if err == nil {
		t.Fatal("an approval that could not be written is confirmed")
	}
	for _, want := range []string{"make " + folder + " a folder that you can write to",
		"XDG_STATE_HOME"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("got %q, want one line", err)
	}
}
