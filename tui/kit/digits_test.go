package kit

import (
	"strings"
	"testing"

	"drolab/tui/cell"
)

// TestDigits: every character of a number is drawn, at every scale in as many cells as are said.
func TestDigits(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		th := BareTheme(ascii)
		for scale := 1; scale <= 6; scale++ {
			if ascii && scale%2 == 1 {
				continue
			}
			seen := map[string]string{}
			for _, number := range strings.Split("0123456789.+-", "") {
				lines := th.Digits(number, scale, Style{})
				for _, line := range lines {
					if got, want := cell.Width(line), DigitCells(number, scale); got != want {
						t.Errorf("%s at scale %d has %d cells, want %d", number, scale, got, want)
					}
				}
				text := strings.Join(lines, "\n")
				if before, there := seen[text]; there {
					t.Errorf("%s and %s look alike at scale %d:\n%s", before, number, scale, text)
				}
				seen[text] = number
				if len(lines) != DigitLines(scale) || strings.TrimSpace(text) == "" {
					t.Errorf("%s at scale %d has %d lines, want %d:\n%s", number, scale, len(lines),
						DigitLines(scale), text)
				}
			}
		}
	}
	want := "▄█  ▀▀█\n █  ▀▀█\n▀▀▀ ▀▀▀"
	if got := strings.Join(BareTheme(false).Digits("13", 1, Style{}), "\n"); got != want {
		t.Errorf("13 is drawn as\n%s\nwant\n%s", got, want)
	}
}
