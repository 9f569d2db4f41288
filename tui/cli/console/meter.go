package console

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"drolab/runner"
	"drolab/tui/cell"
	"drolab/tui/kit"
)

// Meter shows the progress of what takes long, such as a download: on a terminal a line that is
// redrawn, elsewhere a line for every tenth of the total.
type Meter struct {
	out           *cell.Writer
	name          string
	screen, ascii bool
	width         int
	amount        func(n int64) string // writes an amount in its unit
	// delay is the time after which the meter shows something at all.
	delay time.Duration

	now   func() time.Time // nil: the system's
	began time.Time
	next  time.Time // when to draw again
	tenth int64
	drawn bool
}

// NewMeter returns a meter on Stderr.
func (c *Console) NewMeter(name string, amount func(n int64) string) *Meter {
	m := &Meter{out: c.Stderr, name: name, ascii: c.ASCII, amount: amount}
	m.width, _, m.screen = c.SizeErr()
	return m
}

// Show shows that done of the total is done; left is the time that the rest takes, 0 if that is not
// known.
func (m *Meter) Show(done, total int64, left time.Duration) {
	if total <= 0 {
		return
	}
	now := m.time()
	if m.began.IsZero() {
		m.began = now
	}
	if now.Sub(m.began) < m.delay {
		return
	}
	if !m.screen {
		if tenth := 10 * done / total; tenth > m.tenth {
			m.tenth = tenth
			fmt.Fprintf(m.out, "%s: %s\n", m.name, m.text(done, total, left))
		}
		return
	}
	if done >= total || now.After(m.next) {
		m.next, m.drawn = now.Add(DrawEvery), true
		m.out.Over(0, m.line(done, total, left))
	}
}

func (m *Meter) time() time.Time {
	if m.now != nil {
		return m.now()
	}
	return time.Now()
}

func (m *Meter) text(done, total int64, left time.Duration) string {
	text := m.amount(done) + " of " + m.amount(total)
	if left > 0 {
		text += ", ETA " + kit.Duration(left)
	}
	return text
}

// line returns the line with a bar, if there is room for one.
func (m *Meter) line(done, total int64, left time.Duration) string {
	text := "  " + m.text(done, total, left)
	room := min(BarMost, m.width-cell.Width(m.name)-cell.Width(text)-3)
	if room < BarLeast {
		return m.name + text
	}
	return m.name + "  " + Bar(done, total, room, m.ascii) + text
}

// End ends the line.
func (m *Meter) End() {
	if m.drawn {
		fmt.Fprintln(m.out)
		m.drawn = false
	}
}

const (
	// readingDelay is the time after which a reading shows how far it is.
	readingDelay = 500 * time.Millisecond
	// minReadShown is the least number of samples or runs of which a reading is shown. A smaller
	// one is over in a moment.
	minReadShown = 100
)

func plainCount(n int64) string { return fmt.Sprint(n) }

// Readings returns a meter for what is read and counted, such as runs.
func (c *Console) Readings(what string) *Meter {
	m := c.NewMeter("reading "+what, plainCount)
	m.delay = readingDelay
	return m
}

// Progress returns a function that shows how much is read, and returns an error once ctx ends.
func (m *Meter) Progress(ctx context.Context) func(done, of int) error {
	pace := &runner.ReadingPace{}
	return func(done, of int) error {
		if ctx.Err() != nil {
			m.End()
			return errors.New("interrupted: what was read is kept, and the same command goes on " +
				"from there")
		}
		if of >= minReadShown {
			m.Show(int64(done), int64(of), pace.Left(done, of, m.time()))
		}
		return nil
	}
}

// whileRead returns a function that shows how many runs are read. It takes Ctrl-C for as long as
// that lasts, so that what was read is kept.
func (c *Console) whileRead() func(done, of int) error {
	var tell func(done, of int) error // nil: nothing is being read
	var end func()
	return func(done, of int) error {
		if of < minReadShown {
			return nil
		}
		if tell == nil {
			m := c.Readings("runs")
			ctx, cancel := context.WithCancel(context.Background())
			if c.SignalContext != nil {
				ctx, cancel = c.SignalContext(ctx, Outlive)
			}
			tell, end = m.Progress(ctx), func() { m.End(); cancel() }
		}
		err := tell(done, of)
		if err != nil || done == of {
			end()
			tell = nil
		}
		return err
	}
}

// Follow shows what reading says, again and again, until stop is called.
func (m *Meter) Follow(reading func() *runner.Reading) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer m.End()
		tick := time.NewTicker(DrawEvery)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
			}
			if r := reading(); r != nil && r.Of >= minReadShown {
				m.Show(int64(r.Done), int64(r.Of), r.Left)
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// DrawEvery is the time between two redraws of a line: a person sees five changes a second.
const DrawEvery = 200 * time.Millisecond

// Progress bars are between BarLeast and BarMost cells wide, or left out.
const (
	BarLeast = 10
	BarMost  = 30
)

// Bar returns a bar of width cells that shows the share done of total.
func Bar(done, total int64, width int, ascii bool) string {
	full, empty := "━", "─"
	if ascii {
		full, empty = "#", "."
	}
	n := int(float64(width) * float64(min(done, total)) / float64(max(1, total)))
	return strings.Repeat(full, n) + strings.Repeat(empty, width-n)
}
