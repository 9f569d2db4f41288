package lab

import (
	"fmt"
	"strings"

	"drolab/runner"
)

// Ring is what the terminal itself is told of the watched runs; the zero Ring is nothing.
// Terminals disagree on the sequences, and some write those that they do not know onto the
// screen: so the user says which.
type Ring struct {
	Notify   string // "9" or "777": the sequence that tells of a run that is done or failed
	Progress bool   // how far the runs are, on the window's icon or tab (OSC 9;4)
}

// ParseRing reads "9", "777", "progress" or two of them with a comma; "" or "off" is nothing.
func ParseRing(text string) (r Ring, err error) {
	for word := range strings.SplitSeq(text, ",") {
		switch word = strings.TrimSpace(word); word {
		case "", "off":
		case "9", "777":
			r.Notify = word
		case "progress":
			r.Progress = true
		default:
			return Ring{}, fmt.Errorf(
				"ring: %q: want 9, 777 or progress, or two of them as 9,progress", word)
		}
	}
	return r, nil
}

// Ended says that a watched run is done or has failed.
type Ended struct {
	Name   string
	Status runner.Status
}
