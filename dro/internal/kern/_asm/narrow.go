package main

import (
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/printer"
)

// narrow is a printer that breaks the long declarations of another printer between parameters.
type narrow struct{ printer.Printer }

func (n narrow) Print(f *ir.File) ([]byte, error) {
	b, err := n.Printer.Print(f)
	lines := strings.Split(string(b), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "func ") {
			lines[i] = strings.Join(wrap(line, ", ", 100), "\n\t")
		}
	}
	return []byte(strings.Join(lines, "\n")), err
}

// wrap breaks text after separators into lines of up to most bytes. A piece without a separator may
// be longer.
func wrap(text, separator string, most int) []string {
	lines := []string{""}
	for _, piece := range strings.SplitAfter(text, separator) {
		last := &lines[len(lines)-1]
		if *last != "" && len(strings.TrimSpace(*last+piece)) > most {
			*last = strings.TrimSpace(*last)
			lines = append(lines, piece)
			continue
		}
		*last += piece
	}
	return lines
}
