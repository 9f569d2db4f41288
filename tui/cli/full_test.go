//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"drolab/dro/testsize"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
)

// TestLostOutput: a command whose output cannot be written, as on a full disk, ends with 1 and one
// line. If its reader has left, as in | head, it ends with 0 and says nothing.
func TestLostOutput(t *testing.T) {
	lines := testsize.Few(3, "runs", "presets --json", "version", "report", "__complete run s",
		"runs --json", "presets", "data list", "show recorded:paper/paper-erm-s1",
		"compare recorded:paper")
	every, n := testsize.Pick(12, 1, 1), 0 // of the helps
	var helps func(*cobra.Command)
	helps = func(c *cobra.Command) {
		if n++; n%every == 0 {
			lines = append(lines, strings.TrimPrefix(c.CommandPath()+" --help", "drolab "))
		}
		for _, below := range c.Commands() {
			helps(below)
		}
	}
	helps(root(console.New(console.Env{})))
	full, err := os.Open(os.DevNull) // not for writing
	check(t, err)
	defer full.Close()
	reader, left, err := os.Pipe()
	check(t, err)
	defer left.Close()
	check(t, reader.Close())
	runs := t.TempDir()
	for _, line := range lines {
		for out, want := range map[*os.File]int{full: 1, left: 0} {
			if want == 0 && strings.HasSuffix(line, "--help") {
				continue // one writer serves all of these
			}
			var said bytes.Buffer
			code := Main(context.Background(), console.Env{Stdout: out, Stderr: &said,
				RunsDir: runs},
				strings.Fields(line))
			text := regexp.MustCompile("Completion ended.*\n").ReplaceAllString(said.String(), "")
			if code != want {
				t.Errorf("drolab %s: exit status %d, want %d", line, code, want)
			}
			lost := strings.HasPrefix(text, "drolab: write ") && strings.Count(text, "\n") == 1
			switch {
			case want == 1 && !lost:
				t.Errorf("drolab %s complains %q, want one line about a write", line, text)
			case want == 0 && text != "":
				t.Errorf("drolab %s complains %q, want nothing", line, text)
			}
		}
	}
}
