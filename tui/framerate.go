package tui

import (
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"
)

// frames sets the number of frames a second in Bubble Tea, which fixes it at the start. Each frame
// wakes the processor, whether anything changed or not. A prompt answer to a key takes forty a
// second, which cost a third of a per cent of a core, measured on a virtual machine in a program
// that does nothing else. So Bubble Tea's ticker is reset, found by its name in the program. If a
// later version has another name, the frames stay as they were at the start. A nil frames has no
// program.
type frames struct {
	program *tea.Program
	rate    int // as it was set last
}

func (f *frames) set(rate int) {
	if f == nil || rate == f.rate {
		return
	}
	if t := f.ticker(); t != nil {
		t.Reset(time.Second / time.Duration(rate))
		f.rate = rate
	}
}

// ticker returns the ticker of the program; nil if there is none yet, or none of that name.
func (f *frames) ticker() *time.Ticker {
	v := reflect.ValueOf(f.program).Elem().FieldByName("ticker")
	if !v.IsValid() || v.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(v.UnsafePointer())
}
