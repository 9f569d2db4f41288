package tui

import (
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"
)

// frames sets how many frames a second Bubble Tea has. It fixes them at the start, and each
// wakes the processor, whether anything changed or not. A key's prompt answer takes forty of
// them, which cost a third of a per cent of a core, measured on a virtual machine in a program
// that does nothing else. So its ticker is set anew, found by its name in the program. Where a
// later version has another, the frames stay as they were at the start. A nil frames has no
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

// ticker is nil where there is none yet, or none of that name.
func (f *frames) ticker() *time.Ticker {
	v := reflect.ValueOf(f.program).Elem().FieldByName("ticker")
	if !v.IsValid() || v.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return (*time.Ticker)(v.UnsafePointer())
}
