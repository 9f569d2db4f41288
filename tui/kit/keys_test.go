package kit_test

import (
	"slices"
	"strings"
	"testing"

	"drolab/tui/kit"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// TestHelpLines: on a narrow screen, the description of a key continues in its own column.
func TestHelpLines(t *testing.T) {
	theme := kit.NewTheme(colorprofile.ASCII, true, false)
	lines := theme.HelpLines([]kit.Key{{Keys: kit.On("/"), Help: "filter the runs by words"}}, 24)
	want := []string{"/         filter the", "          runs by words"}
	for i, line := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(line), " ")
	}
	if !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
}
