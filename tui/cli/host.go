package cli

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"drolab/dro/nn"
	"drolab/runner"
)

// host describes the program and the machine. It may read the whole program
// (see version), so what shows something first asks for it when it needs it.
func host() runner.Host {
	return runner.Host{Version: version(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		CPU: cpu(), Kernel: nn.Kernel()}
}

// lean makes the process return what it no longer needs. Its memory is networks
// and images, which stay and hold no pointers: collecting costs next to nothing,
// and garbage of as much again, Go's default, would be hundreds of megabytes.
func lean() { debug.SetGCPercent(10) }

// calm is for an interface whose runs are in another process. It takes one core
// from them at most, which is many times what it needs: with more, each tick
// wakes threads that only look for work. It holds a few megabytes, and seldom
// collects them.
func calm() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400)
}

// version returns the revision of the code, "+changes" where the tree was
// dirty. `go run` stamps no revision into the program; then the checksum of
// the program itself says which code it is.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	var revision, changes string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	if revision == "" {
		return info.Main.Version + " " + checksum()
	}
	return revision + changes
}

// checksum returns the start of the running program's SHA-256.
func checksum() string {
	path, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	f, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil)[:6])
}

// cpu returns the processor's name, or its architecture.
func cpu() string {
	if name := systemCPU(); name != "" {
		return clean(name)
	}
	return runtime.GOARCH
}
