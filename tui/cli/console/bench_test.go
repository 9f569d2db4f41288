package console

import (
	"bytes"
	"strings"
	"testing"

	"drolab/dro/testsize"
	"drolab/presets"
	"drolab/runner/spec"
)

// TestPresetsWithoutData: in a folder without data, bench lists every preset, and says of each one
// whose data are missing how to get them.
func TestPresetsWithoutData(t *testing.T) {
	testsize.NotShort(t, "times a step of each preset: TestMissing of runner/data/source "+
		"shows what is said of missing data")
	t.Chdir(t.TempDir())
	var b bytes.Buffer
	con := New(Env{Stdout: &b, DataDir: t.TempDir()})
	con.Threads = 1
	asked := spec.Defaults()
	w := NewStopwatch(t.Context(), con.Threads)
	if err := printPresets(t.Context(), con, w, &asked); err != nil {
		t.Fatal(err)
	}
	lines := map[string]string{}
	for line := range strings.SplitSeq(b.String(), "\n") {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		lines[name] = strings.TrimSpace(rest)
	}
	for _, p := range presets.List() {
		line := lines[p.Name]
		if line == "" || strings.Contains(line, "check the path") {
			t.Errorf("%s: the line is %q, want a time or how to get the data", p.Name, line)
		}
	}
	if !strings.Contains(lines["waterbirds"], "peer/waterbirds.py computes it") {
		t.Errorf("waterbirds: the line is %q, want its script", lines["waterbirds"])
	}
}
