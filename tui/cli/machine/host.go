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

// Host returns the description of the program and the machine. It may read the whole program (see
// Version), so an interface asks for it only when it needs it, not before its first frame.
func Host() runner.Host {
	return runner.Host{Version: Version(), Go: runtime.Version(),
		System: runtime.GOOS + "/" + runtime.GOARCH,
		CPU:    CPU(), Kernel: nn.Kernel("")}
}

// Lean makes the process collect its garbage early. Its memory is networks and images, which stay
// and hold no pointers, so collecting costs next to nothing. Go's default, as much garbage again,
// would be hundreds of megabytes.
func Lean() { collect(10) }

// Calm sets up the process of an interface whose runs are in another process. It takes at most one
// core from them, which is many times what it needs: with more, each tick wakes threads that only
// look for work. It holds a few megabytes, and collects garbage twice as often as Go's default.
// Collecting less often would gain no time that a user would see, and dozens of logs that are read
// would leave three times as much in memory as is drawn of them.
func Calm() {
	runtime.GOMAXPROCS(1)
	collect(50)
}

// collect sets how much garbage makes the collector run, in percent of the memory in use. It does
// so after the start, which leaves some megabytes of garbage: an interface collected them six times
// before its first frame.
func collect(percent int) {
	time.AfterFunc(300*time.Millisecond, func() { debug.SetGCPercent(percent) })
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

// checksum returns the start of the running program's SHA-256. If the file cannot be read, it
// returns the size and the time of the file.
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
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil)[:6]), nil
}

// CPU returns the name of the processor, or its architecture if the name is unknown.
func CPU() string {
	if name := systemCPU(); name != "" {
		return console.Clean(name)
	}
	return runtime.GOARCH
}

// Commands returns the commands about the machine.
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
