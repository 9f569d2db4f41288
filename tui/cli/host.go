package cli

import (
	"runtime"
	"runtime/debug"

	"drolab/dro/nn"
	"drolab/runner"
)

func host() runner.Host {
	return runner.Host{Version: version(), Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		CPU: cpu(), Kernel: nn.Kernel()}
}

// version returns the revision of the code, "+changes" where the tree was
// dirty, or what the module says where there is no repository.
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
		return info.Main.Version
	}
	return revision + changes
}

// cpu returns the processor's name, or its architecture.
func cpu() string {
	if name := systemCPU(); name != "" {
		return clean(name)
	}
	return runtime.GOARCH
}
