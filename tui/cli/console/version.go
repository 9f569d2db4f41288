package console

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/machine"
	"drolab/tui/cell"
)

// Host returns the description of the program and the machine. It may read the whole program (see
// Version), so an interface asks for it only when it needs it, not before its first frame.
func Host() runner.Host {
	return runner.Host{Version: Version(), Go: runtime.Version(),
		System: runtime.GOOS + "/" + runtime.GOARCH, CPU: CPU(), Kernel: nn.Kernel("")}
}

// Version returns the revision of the code. If the tree was dirty or, as with go run, the program
// has no revision, the checksum of the program says which code it is: equal versions mean the same
// program.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionOf(info, checksum)
}

func versionOf(info *debug.BuildInfo, checksum func() string) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	revision = revision[:min(12, len(revision))]
	switch {
	case revision == "":
		return strings.TrimSpace(info.Main.Version + " " + checksum())
	case settings["vcs.modified"] == "true":
		return revision + "+changes " + checksum()
	}
	return revision
}

// castagnoli is the polynomial that processors have an instruction for. The program has tens of
// megabytes, and every command that starts a run waits for their checksum.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum returns the CRC-32C of the running program. If the file cannot be read, it returns the
// size and the time of the file.
var checksum = sync.OnceValue(func() string {
	path := "/proc/self/exe" // the running program, even if its file has been replaced
	if _, err := os.Stat(path); err != nil {
		if path, err = os.Executable(); err != nil {
			return "unknown"
		}
	}
	sum, err := sumOf(path)
	if err == nil {
		return sum
	}
	info, err := os.Stat(path)
	if err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))
})

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := crc32.New(castagnoli)
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("crc32c:%08x", h.Sum32()), nil
}

// CPU returns the name of the processor, or its architecture if the name is unknown.
func CPU() string { return cmp.Or(cell.Clean(machine.Processor()), runtime.GOARCH) }
