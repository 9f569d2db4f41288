package tui

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"drolab/tui/pixels"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"
)

// Pictures says in what form the interface draws pictures on a terminal, and why. It asks the
// terminal as the interface does, and waits for the answer.
func Pictures(environ []string, in, out *os.File) string {
	e := environmentOf(environ)
	if e.noPixels != "" {
		return e.pictures(nil)
	}
	s := &pixels.Screen{}
	if err := ask(s, e.multiplexer, in, out); err != nil {
		return fmt.Sprintf("unknown (the terminal cannot be asked: %v)", err)
	}
	return e.pictures(s)
}

// ask asks a terminal which pictures it can draw, and takes in what it answers in time.
func ask(s *pixels.Screen, multiplexer bool, in, out *os.File) error {
	was, err := term.MakeRaw(in.Fd())
	if err != nil {
		return err
	}
	defer term.Restore(in.Fd(), was)
	r, err := uv.NewCancelReader(in)
	if err != nil {
		return err
	}
	defer r.Close()
	answered := make(chan struct{})
	end := sync.OnceFunc(func() { close(answered) })
	t := &Terminal{In: r, send: func(msg tea.Msg) {
		s.Answer(msg)
		if _, last := msg.(uv.PrimaryDeviceAttributesEvent); last {
			end()
		}
	}}
	t.asked.Store(time.Now().UnixNano())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for err := error(nil); err == nil; {
			_, err = t.Read(make([]byte, mostSequence))
		}
	}()
	if _, err = io.WriteString(out, pixels.Question(multiplexer)); err == nil {
		select {
		case <-answered:
		case <-time.After(answerTime):
		}
	}
	r.Cancel()
	<-ended
	return err
}

// pictures says in what form pictures are drawn, and why; s is nil where the terminal is not asked.
func (e *environment) pictures(s *pixels.Screen) string {
	form := "half blocks"
	if e.ascii || e.profile <= colorprofile.ASCII {
		form = "shades"
	}
	why := e.noPixels
	switch {
	case s == nil && why == "":
		why = "in drolab share"
	case s == nil:
	case e.profile < colorprofile.ANSI256:
		why = "fewer than 256 colours"
	default:
		why = s.Why()
		if p := s.Protocol(); p != pixels.None {
			form = string(p)
		}
	}
	return form + " (" + why + ")"
}
