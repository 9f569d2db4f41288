package source

import (
	"os"
	"os/exec"
	"runtime/debug"
	"testing"

	_ "drolab/dro/memtest"
	"drolab/runner/data"
)

// asReader is the variable that makes the test's program a reading process.
const asReader = "DROLAB_TEST_READER"

// With mapsSmall set, files of more than mapped bytes are mapped, in the reading process, too.
const (
	mapsSmall = "DROLAB_TEST_MAPS_SMALL"
	mapped    = 1 << 20
)

func TestMain(m *testing.M) {
	if os.Getenv(mapsSmall) != "" {
		data.InMemory = mapped
	}
	if os.Getenv(asReader) != "" {
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			os.Stderr.WriteString("drolab: " + err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// readApart makes separate processes read files until the test ends.
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
