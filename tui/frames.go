package tui

import (
	"reflect"
	"time"

	tea "charm.land/bubbletea/v2"
)

// frames sets how many frames a second Bubble Tea has. It fixes them at the start, and each is a
// waking of the processor, whether anything changed or not: forty of them, which a key's prompt
// answer takes, cost a third of a per cent of a core (so much does a program that does nothing else
// on a virtual machine). So its ticker is set anew, found by its name in the program: where a later
// version has another, the frames stay as they were at the start. A nil frames has no program.
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
