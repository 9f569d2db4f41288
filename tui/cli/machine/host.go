package machine

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/tui/cli/console"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

// Host describes the program and the machine. It may read the whole program
// (see version), so what shows something first asks for it when it needs it.
func Host() runner.Host {
	return runner.Host{Version: Version(), Go: runtime.Version(),
		System: runtime.GOOS + "/" + runtime.GOARCH,
		CPU:    CPU(), Kernel: nn.Kernel("")}
}

// Lean makes the process return what it no longer needs. Its memory is networks
// and images, which stay and hold no pointers: collecting costs next to nothing,
// and garbage of as much again, Go's default, would be hundreds of megabytes.
func Lean() { collect(10) }

// Calm is for an interface whose runs are in another process. It takes one core
// from them at most, which is many times what it needs: with more, each tick
// wakes threads that only look for work. It holds a few megabytes, and collects
// them twice as often as other programs: more seldom gains no time that a user would see,
// and dozens of logs that are read then leave three times what is drawn of them.
func Calm() {
	runtime.GOMAXPROCS(1)
	collect(50)
}

// collect has garbage collected when there is so much of it, in percent of what is in use. A start
// leaves some megabytes, which an interface went over six times before its first frame: it is over
// by then.
func collect(percent int) {
	time.AfterFunc(300*time.Millisecond, func() { debug.SetGCPercent(percent) })
}

// Version returns the revision of the code. Where the tree was dirty or, as
// with go run, the program has no revision, the checksum of the program itself
// says which code it is: two versions that are equal are one program.
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

// checksum returns the start of the running program's SHA-256. Of one that may
// not be read, its size and time have to do.
var checksum = sync.OnceValue(func() string {
	path := "/proc/self/exe" // the program that runs, also when its file is another one by now
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
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil)[:6]), nil
}

// CPU returns the processor's name, or its architecture.
func CPU() string {
	if name := systemCPU(); name != "" {
		return console.Clean(name)
	}
	return runtime.GOARCH
}

// Commands are those of the machine.
func Commands(con *console.Console) []*cobra.Command {
	return []*cobra.Command{benchCommand(con), versionCommand(con)}
}

func versionCommand(con *console.Console) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version, the machine and the kernels in use",
		Args: console.None,
		RunE: func(*cobra.Command, []string) error {
			h := Host()
			_, err := fmt.Fprintf(con.Stdout, "drolab %s\n%s, %s, %s, kernel %s, %s\n",
				h.Version, h.Go, h.System, h.CPU, h.Kernel, kit.Plural(con.Threads, "thread"))
			return err
		},
	}
}
