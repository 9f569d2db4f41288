package console

import (
	"runtime/debug"
	"strings"
	"testing"
)

// TestVersionTellsPrograms: two builds of the same modified tree have different versions, and the
// version of a clean build is its revision.
func TestVersionTellsPrograms(t *testing.T) {
	of := func(revision, modified, sum string) string {
		info := &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}
		vcs := map[string]string{"vcs.revision": revision, "vcs.modified": modified}
		for key, value := range vcs {
			if value != "" {
				info.Settings = append(info.Settings, debug.BuildSetting{Key: key, Value: value})
			}
		}
		return versionOf(info, func() string { return sum })
	}
	const revision = "0123456789abcdef"
	if a, b := of(revision, "true", "a"), of(revision, "true", "b"); a == b ||
		!strings.HasPrefix(a, "0123456789ab+changes") {
		t.Errorf("two dirty builds are %q and %q", a, b)
	}
	if a, b := of("", "", "a"), of("", "", "b"); a == b || !strings.HasPrefix(a, "(devel)") {
		t.Errorf("two builds without a revision are %q and %q", a, b)
	}
	a, b := of(revision, "false", "a"), of(revision, "false", "b")
	if a != "0123456789ab" || a != b {
		t.Errorf("two builds of a revision are %q and %q", a, b)
	}
}

func TestChecksum(t *testing.T) {
	if sum := checksum(); !strings.HasPrefix(sum, "crc32c:") || sum != checksum() {
		t.Errorf("the checksum of this program is %q", sum)
	}
}
