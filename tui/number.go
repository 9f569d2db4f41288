package tui

import (
	"fmt"
	"strings"
	"time"

	"drolab/runner"
	"drolab/tui/plot"
)

// figure formats a measure in at most plot.LabelWidth cells, without blanks.
func figure(n runner.Number) string {
	if !n.Applies() {
		return "–"
	}
	return strings.TrimSpace(plot.Format(n.Float()))
}

// percent formats an accuracy in 0..1 with one decimal and without the sign,
// which the column's head has.
func percent(n runner.Number) string {
	if !n.Applies() {
		return "–"
	}
	return fmt.Sprintf("%.1f", 100*n.Float())
}

// Clock formats a duration as 0:07, 12:34 or 1:02:03.
func Clock(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
