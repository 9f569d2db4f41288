package console

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"drolab/runner/box"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"

	"github.com/spf13/cobra"
)

// BoxEnv is the part of the environment that concerns other machines.
type BoxEnv struct {
	Boxes   string // whose runs are read without --box, as --box takes them
	SSH     string // the program that reaches them
	Mirrors string // the folder of their mirrors
}

// boxes are the other machines whose runs a command reads, and the links to them.
type boxes struct {
	names string // as given, with commas
	known bool   // all has the boxes of names
	all   []box.Linked
	end   map[string]func() // ends the link of a box, and waits for its end
}

// BoxFlag adds the flag --box to a command that reads runs of several machines.
func (c *Console) BoxFlag(of *cobra.Command) {
	of.Flags().StringVar(&c.boxes.names, "box", c.Boxes,
		"also read the runs of these machines, over SSH: one or several names of hosts, with "+
			"commas (DROLAB_BOXES)")
	MustComplete(of, "box", c.completeBoxes)
	annotate(of, readsBoxes, "yes")
}

// MirrorOf returns the folder of a box's mirror.
func (c *Console) MirrorOf(name string) string { return filepath.Join(c.Mirrors, name, "runs") }

// LinkBoxes begins to link the boxes of --box, once. The links last until ctx is cancelled.
func (c *Console) LinkBoxes(ctx context.Context) ([]box.Linked, error) {
	if c.boxes.known {
		return c.boxes.all, nil
	}
	c.boxes.known, c.boxes.end = true, map[string]func(){}
	names, err := c.BoxNames()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		dir := c.MirrorOf(name)
		b := box.Linked{Name: name, Dir: dir, Link: box.NewLink(name, dir, box.SSH(c.SSH, name))}
		c.boxes.all = append(c.boxes.all, b)
		linked, cancel := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() { b.Link.Run(linked); close(ended) }()
		c.boxes.end[name] = func() { cancel(); <-ended }
	}
	return c.boxes.all, nil
}

// awaitBoxes links the boxes of --box, and waits until each has said which runs it has. A box
// without a link is noted: its runs are shown as they were known last.
func (c *Console) awaitBoxes(ctx context.Context) error {
	if c.boxes.known {
		return nil
	}
	all, err := c.LinkBoxes(ctx)
	if err != nil {
		return err
	}
	waits, cancel := context.WithTimeout(ctx, boxPatience)
	defer cancel()
	var waiting sync.WaitGroup
	for _, b := range all {
		waiting.Go(func() {
			defer c.tellWaiting(b)()
			b.Link.Await(waits, func(s box.State) bool { return s.Complete })
		})
	}
	waiting.Wait()
	answers := len(all) == 0
	for _, b := range all {
		c.noteBox(b)
		s := b.Link.State()
		answers = answers || s.Answers(time.Now())
	}
	if !answers {
		c.broken = append(c.broken, &StatusError{NoLinkStatus, errors.New("no box answers")})
	}
	return ctx.Err()
}

// tellWaiting notes that a command waits for a box, and how far the list of its runs is, until the
// function that it returns is called.
func (c *Console) tellWaiting(b box.Linked) (end func()) {
	over := make(chan struct{})
	go func() {
		for pause := tellAfter; ; pause = tellEvery {
			select {
			case <-over:
				return
			case <-time.After(pause):
			}
			text := "waiting for box " + b.Name
			if s := b.Link.State(); s.Asked > 0 {
				text += fmt.Sprintf(": %d of %d runs", s.Come, s.Asked)
			}
			c.Note(text)
		}
	}()
	return func() { close(over) }
}

// How long a command waits for the list of the runs of a box, and after what time it says so.
const (
	boxPatience = time.Minute
	tellAfter   = 2 * time.Second
	tellEvery   = 10 * time.Second
)

// elsewhereText says what is wrong with the link of another drolab, which keeps the mirror of a
// box; "" where that hears the box.
func elsewhereText(s box.State, now time.Time) string {
	switch {
	case !s.Elsewhere:
		return ""
	case s.Known.IsZero():
		return "no link yet: another drolab keeps the mirror, and has heard nothing"
	case s.Silent(now):
		return "no link for " + kit.Duration(now.Sub(s.Known).Truncate(time.Second)) +
			": another drolab keeps the mirror, and hears nothing"
	}
	return ""
}

// KnownAgo says how long ago a run of a box was known to go on, as lab.Silences do: "3 h ago". It
// returns "" where that is known now.
func (c *Console) KnownAgo(r *record.Run) string {
	far := r.Mirrored()
	if far == nil || r.Status().Ended() {
		return ""
	}
	for _, b := range c.boxes.all {
		s, now := b.Link.State(), time.Now()
		if b.Name == far.Box && s.Silent(now) {
			return kit.Age(now.Sub(s.Known)) + " ago"
		}
	}
	return ""
}

// noteBox notes why a box is not linked, and what is wrong with its runs.
func (c *Console) noteBox(b box.Linked) {
	s := b.Link.State()
	known := "no run of it is known"
	if s.Runs > 0 {
		known = "its runs are shown as they were known last"
	}
	switch {
	case s.Elsewhere:
		if text := elsewhereText(s, time.Now()); text != "" {
			c.Note(fmt.Sprintf("box %s: %s (%s)", b.Name, text, known))
		}
	case !s.Linked:
		c.Note(fmt.Sprintf("box %s: no link: %s (%s)", b.Name, cell.OneLine(s.Word), known))
	case s.Unwritable != "":
		c.Note(fmt.Sprintf("box %s: %s (%s)", b.Name, cell.OneLine(s.Unwritable), known))
	case !s.Complete:
		c.Note(fmt.Sprintf("box %s: not all of its runs are here yet: the same command goes on "+
			"from there", b.Name))
	}
	for _, problem := range s.Problems {
		c.Note(fmt.Sprintf("box %s: %s", b.Name, cell.OneLine(problem)))
	}
}

// List returns the runs of this machine and of the boxes, as record.List does.
func (c *Console) List(ctx context.Context) (runs []*record.Run, problems []error) {
	if err := c.awaitBoxes(ctx); err != nil {
		return nil, []error{err}
	}
	if len(c.boxes.all) == 0 {
		return c.Catalogue().List()
	}
	all := box.NewRuns(c.Catalogue())
	for _, b := range c.boxes.all {
		all.Add(b.Name, c.CatalogueOf(b.Dir))
	}
	return all.List()
}

// FetchLogs waits until the logs of runs of boxes are here, and reads these runs again. A run whose
// log does not come is left out, and is an error at the end of the command.
func (c *Console) FetchLogs(ctx context.Context, runs []*record.Run) []*record.Run {
	wanted := map[string][]string{}
	for _, r := range runs {
		if m := r.Mirrored(); m != nil && !r.LogIsHere() {
			wanted[m.Box] = append(wanted[m.Box], r.Meta.ID)
		}
	}
	for _, b := range c.boxes.all {
		if ids := wanted[b.Name]; len(ids) > 0 {
			b.Link.Fetch(ctx, ids...)
		}
	}
	again := make([]*record.Run, 0, len(runs))
	for _, r := range runs {
		if r.Mirrored() != nil {
			now, err := record.Find(filepath.Dir(r.Dir), r.Dir)
			if err != nil {
				c.broken = append(c.broken, err)
				continue
			}
			r = now
		}
		again = append(again, r)
	}
	return again
}

// findOnBoxes is record.Find for the runs of the boxes.
func (c *Console) findOnBoxes(id string) (*record.Run, error) {
	var err error
	for _, b := range c.boxes.all {
		var r *record.Run
		if r, err = record.Find(b.Dir, id); err == nil {
			return r, nil
		}
	}
	return nil, err
}
