package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/tui/cli/console"
)

// TestControlCharactersInJobs: a sweep on Slurm whose folder, partition or constraint has a control
// character is refused in one line that names the flag, before anything is made.
func TestControlCharactersInJobs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "sweep.yaml")
	text := "preset: csv\nset: {val_fraction: .2}\nselect: val_loss\n"
	check(t, os.WriteFile(file, []byte(text), 0o644))
	for _, flag := range []string{"--dir", "--partition", "--constraint", "--sbatch"} {
		for _, text := range []string{"a\ntouch PWNED #b", "a\r#SBATCH --wrap=x", "\x1b[2J"} {
			var said bytes.Buffer
			args := []string{"sweep", "start", file, "--on", "slurm", "--time", "10",
				"--dir", filepath.Join(dir, "made")}
			code := Main(context.Background(), console.Env{Stdout: &said, Stderr: &said,
				DataDir: dir,
				RunsDir: dir}, append(args, flag, text))
			if code != 1 {
				t.Errorf("%s %q: exit status %d, want 1", flag, text, code)
			}
			got, want := said.String(), "drolab: "+flag
			if strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, want) {
				t.Errorf("%s %q prints %q, want one line from %q on", flag, text, got, want)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); err == nil {
		t.Error("the sweep's folder was made")
	}
}
