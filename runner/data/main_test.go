package data

import (
	"os"
	"os/exec"
	"testing"
)

// asReader makes the test's program a process that reads.
const asReader = "DROLAB_TEST_READER"

func TestMain(m *testing.M) {
	if os.Getenv(asReader) != "" {
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			os.Stderr.WriteString("drolab: " + err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// readApart has files read by processes of their own until the test ends.
func readApart(t testing.TB) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ReadApart(func() *exec.Cmd {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), asReader+"=1")
		return cmd
	}))
}
