package publish

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"drolab/runner/compare"
	"drolab/runner/page"
	"drolab/runner/record"
)

// writeCosts returns the WriteAll of a form of what robustness costs: the pictures of the table
// that drolab compare makes of the runs.
func writeCosts(form func(note string, pictures []*page.Scatter) string) func(
	runs []*record.Run, path string) error {
	return func(runs []*record.Run, path string) error {
		t := compare.Runs(runs, compare.Options{})
		pictures := t.Scatters()
		if len(pictures) == 0 {
			return errors.New("no run that is done has a mean accuracy or loss beside a worst " +
				"class or group, a robust risk or S: name other runs")
		}
		return page.NewFile(path, func(w io.Writer) error {
			_, err := io.WriteString(w, form(t.FrontNote(), pictures))
			return err
		})
	}
}

func costsSVG(note string, pictures []*page.Scatter) string {
	return page.ScatterSVG("What it costs", note, pictures)
}

func costsPGF(note string, pictures []*page.Scatter) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%% What it costs. %s \\usepackage{pgfplots}\n", note)
	for _, s := range pictures {
		b.WriteString(s.PGFPlots())
	}
	return b.String()
}
