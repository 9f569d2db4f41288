package box

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"drolab/runner"
	"drolab/runner/record"
)

// nearConversation is the state of a conversation on this machine.
type nearConversation struct {
	*Link
	out *sender

	coming string            // the run whose files come in
	files  map[string][]byte // of that run, so far
	size   int               // bytes in files

	buckets map[int]bool // that the box has listed
	names   int          // of runs that it has listed

	// A mirror that could not be written is written anew from the time retry on, once the box has
	// answered all that it was asked.
	retry    time.Time // zero: the mirror is written
	answered bool
}

// fullPause is the time after which a mirror that could not be written is tried again.
const fullPause = 10 * time.Second

// maxParts bounds the files of a run while they come in.
const maxParts = 64 << 20

// take takes in one frame.
func (c *nearConversation) take(f *frame) error {
	switch {
	case f.Hello != nil:
		return c.greet(f.Hello)
	case f.Answer != nil:
		c.takeAnswer(f.Answer)
	case f.Problem != "":
		c.addProblem(nameBox(f.Problem, c.box))
	case f.Pong != nil:
		c.takePong(f.Pong)
		return c.writeAgain()
	default:
		if m := c.writes(); m != nil { // else nothing was asked that this could answer
			return c.mirrorOrPause(m, f)
		}
	}
	return nil
}

// mirrorOrPause takes in one frame about the runs of the box. Where this machine cannot write it,
// as on a full disk, the conversation goes on without the mirror for a while.
func (c *nearConversation) mirrorOrPause(m *record.Mirror, f *frame) error {
	if !c.retry.IsZero() {
		return c.passOver(f)
	}
	err := c.mirrored(m, f)
	var full *runner.DiskError
	if !errors.As(err, &full) {
		return err
	}
	c.mu.Lock()
	c.retry, c.answered = c.now().Add(fullPause), f.All || c.state.Complete
	c.state.Unwritable, c.state.Complete = c.sayUnwritable(err), false
	var frames []*frame
	for id := range c.followed {
		frames = append(frames, &frame{Unwant: id})
	}
	c.followed = map[string]bool{}
	c.mu.Unlock()
	if f.Versions != nil { // the box waits for the answer
		frames = append(frames, &frame{Heads: &heads{More: f.Versions.More}})
	}
	return c.out.send(frames...)
}

// passOver passes over one frame about the runs of the box, and asks for nothing that it lists.
func (c *nearConversation) passOver(f *frame) error {
	switch {
	case f.All:
		c.answered = true
	case f.Versions != nil:
		return c.out.send(&frame{Heads: &heads{More: f.Versions.More}})
	}
	return nil
}

// writeAgain asks for all that is new on the box, where the mirror could not be written and it is
// time to try again.
func (c *nearConversation) writeAgain() error {
	if c.retry.IsZero() || !c.answered || c.now().Before(c.retry) {
		return nil
	}
	c.retry = time.Time{}
	c.coming, c.files, c.size = "", nil, 0
	c.buckets, c.names = nil, 0
	c.mu.Lock()
	frames := c.beginMirroring()
	c.mu.Unlock()
	return c.out.send(frames...)
}

// mirrored takes in one frame about the runs of the box.
func (c *nearConversation) mirrored(m *record.Mirror, f *frame) error {
	switch {
	case f.Versions != nil:
		return c.compare(m, f.Versions)
	case f.File != nil:
		return c.addPart(f.File, f.body)
	case f.Run != "":
		return c.put(m, f.Run)
	case f.Lines != nil:
		return c.append(m, f.Lines, f.body)
	case f.Gone != "":
		c.forget(f.Gone)
		return m.Remove(f.Gone)
	case f.All:
		c.mu.Lock()
		c.state.Complete = true
		c.mu.Unlock()
		m.Heard()
	}
	return nil
}

// mostGPUs are kept of what a box says.
const mostGPUs = 64

func (c *nearConversation) takePong(p *pong) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Offset = p.Clock.Sub(c.now())
	c.state.GPUs = slices.Clone(p.GPUs[:min(len(p.GPUs), mostGPUs)])
	for i := range c.state.GPUs {
		c.state.GPUs[i].Name = runner.OneLine(c.state.GPUs[i].Name, longestName)
	}
}

// greet takes in the hello of the far side, and asks for what is new there.
func (c *nearConversation) greet(h *Hello) error {
	h = cleanHello(*h)
	switch {
	case h.Protocol != protocol:
		return fmt.Errorf("box %s: its drolab %s speaks protocol %d, and this one speaks %d: "+
			"install the same version there", c.box, h.Version, h.Protocol, protocol)
	case h.Format != runner.Format:
		return fmt.Errorf("box %s: its drolab %s writes format %d, and this one reads format %d: "+
			"install the same version there", c.box, h.Version, h.Format, runner.Format)
	}
	c.mu.Lock()
	c.state.Linked, c.state.Since, c.state.Word = true, c.now(), ""
	c.state.Complete, c.state.Next, c.state.Problems = false, time.Time{}, nil
	c.state.Hello, c.state.Offset = h, h.Clock.Sub(c.now())
	c.state.Changes++
	c.state.Asked, c.state.Come, c.state.GPUs = 0, 0, nil
	c.Link.out = c.out
	frames := c.beginMirroring()
	c.mu.Unlock()
	return c.out.send(frames...)
}

// addProblem takes in what is wrong with a run. The other runs go on.
func (c *nearConversation) addProblem(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	const most = 10
	if len(c.state.Problems) < most && !slices.Contains(c.state.Problems, text) {
		c.state.Problems = append(slices.Clone(c.state.Problems), text)
	}
}

// compare removes the runs that the box has no more, and asks for the heads of those that the
// mirror lacks or has in another version.
func (c *nearConversation) compare(m *record.Mirror, v *versions) error {
	if err := c.checkList(v); err != nil {
		return fmt.Errorf("box %s: the list of its runs: %w", c.box, err)
	}
	var ask []string
	mine := m.Versions()
	for id, version := range v.Runs {
		if mine[id] != version {
			ask = append(ask, id)
		}
	}
	for id := range mine {
		_, there := v.Runs[id]
		if !there && slices.Contains(v.Buckets, bucketOf(id)) {
			c.forget(id)
			if err := m.Remove(id); err != nil {
				return err
			}
		}
	}
	c.mu.Lock()
	c.state.Asked += len(ask)
	c.mu.Unlock()
	return c.out.send(&frame{Heads: &heads{IDs: ask, More: v.More}})
}

// checkList returns an error where a list of runs would have no end, or is longer than a mirror.
func (c *nearConversation) checkList(v *versions) error {
	if c.buckets == nil {
		c.buckets = map[int]bool{}
	}
	if len(v.Buckets) == 0 {
		return errors.New("a part has no bucket")
	}
	for _, b := range v.Buckets {
		if b < 0 || b >= bucketCount || c.buckets[b] {
			return fmt.Errorf("bucket %d is there twice, or is none", b)
		}
		c.buckets[b] = true
	}
	if c.names += len(v.Runs); c.names > record.MostMirrored {
		return fmt.Errorf("more than %d runs", record.MostMirrored)
	}
	return nil
}

// forget forgets a run that the box no longer has.
func (c *nearConversation) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.live, id)
	delete(c.followed, id)
	c.state.Changes++
}

// addPart adds a piece of a file of the run that is coming in.
func (c *nearConversation) addPart(p *filePart, piece []byte) error {
	if p.ID != c.coming || c.files == nil {
		c.coming, c.files, c.size = p.ID, map[string][]byte{}, 0
	}
	if c.size += len(piece) + len(p.Name); c.size > maxParts {
		return fmt.Errorf("box %s: run %.200q has more than %d bytes of files",
			c.box, p.ID, maxParts)
	}
	c.files[p.Name] = append(c.files[p.Name], piece...)
	return nil
}

// put puts a run into the mirror whose files are complete. A run that the mirror refuses is passed
// over.
func (c *nearConversation) put(m *record.Mirror, id string) error {
	h := &record.Head{ID: id, Files: c.files}
	if id != c.coming {
		h.Files = nil
	}
	c.coming, c.files = "", nil
	err := json.Unmarshal(h.Files[verdictName], &h.Verdict)
	if err != nil {
		c.addProblem(fmt.Sprintf("run %.200q: its verdict: %v", id, err))
		return nil
	}
	delete(h.Files, verdictName)
	h.Verdict.Damage = nameBox(h.Verdict.Damage, c.box)
	if err := m.Put(h); err != nil {
		return c.orProblem(err)
	}
	c.mu.Lock()
	c.state.Changes++
	c.state.Come = min(c.state.Come+1, c.state.Asked)
	lives := h.Verdict.Held || !h.Verdict.Summary.Status.Ended()
	if lives {
		c.live[id] = true
	} else if m.Log(id).Bytes >= h.Verdict.LogBytes {
		delete(c.live, id) // all of its log is here
	}
	frames := c.follow()
	c.mu.Unlock()
	return c.out.send(frames...)
}

// orProblem returns an error that concerns all runs, such as that of a full disk. Of any other the
// user is told.
func (c *nearConversation) orProblem(err error) error {
	var full *runner.DiskError
	if errors.As(err, &full) {
		return err
	}
	c.addProblem(err.Error())
	return nil
}

// append appends lines to a log. Where the box has sent them for another log than the mirror has,
// it is asked again. Where the mirror has no room, logs of runs that have ended make it.
func (c *nearConversation) append(m *record.Mirror, p *place, lines []byte) error {
	_, dropped, err := m.Append(p.ID, p.LogState, lines)
	if errors.Is(err, record.ErrNoRoom) {
		c.addProblem(err.Error())
		dropped, err = append(dropped, p.ID), nil
	}
	if err := c.unfollow(dropped); err != nil {
		return err
	}
	switch {
	case errors.Is(err, record.ErrOtherLog):
		return c.out.send(&frame{Want: &place{p.ID, m.Log(p.ID)}})
	case err != nil:
		return c.orProblem(err)
	}
	return nil
}

// unfollow ends that the box sends the logs of some runs, for which the mirror has no room, until
// they are wanted again.
func (c *nearConversation) unfollow(ids []string) error {
	c.mu.Lock()
	var frames []*frame
	for _, id := range ids {
		delete(c.wanted, id)
		c.refused[id] = true
		if c.followed[id] {
			delete(c.followed, id)
			frames = append(frames, &frame{Unwant: id})
		}
	}
	c.mu.Unlock()
	return c.out.send(frames...)
}
