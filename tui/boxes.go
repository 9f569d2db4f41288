package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/runner/box"
	"drolab/runner/machine"
	"drolab/runner/record"
	"drolab/tui/cell"
	"drolab/tui/kit"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// boxStates holds how the boxes stood at the last tick.
type boxStates struct {
	notes []boxNote
	words map[string]string // what is wrong with a box, as the user was told
	// answered is the number of boxes that have said which runs they have, or have no link.
	answered int
	overlay  *kit.Overlay // Boxes, as it was opened last
}

// boxNote is what the header says of a box.
type boxNote struct {
	text    string
	live    int
	without bool // a link or mirror, which matters more than how many runs are live
}

// lookAtBoxes takes in how the boxes stand, and tells the user what is wrong with one.
func (m *Model) lookAtBoxes(now time.Time) (cmd tea.Cmd) {
	if len(m.Config.Boxes) == 0 {
		return nil
	}
	var notes []boxNote
	answered := 0
	for _, b := range m.Config.Boxes {
		s := b.Link.State()
		if s.Elsewhere || !s.Linked {
			s.Live = m.liveOn(b.Name)
		}
		notes = append(notes, noteOf(b.Name, s, now))
		if hasAnswered(s) {
			answered++
		}
		if m.boxes.words == nil {
			m.boxes.words = map[string]string{}
		}
		word := troubleOf(s, now)
		if m.boxes.words[b.Name] == "" && word != "" {
			cmd = tea.Batch(cmd, kit.Send(kit.Notice{Bad: true, Unasked: true,
				Text: fmt.Sprintf("box %s: %s", b.Name, cell.OneLine(word))}))
		}
		m.boxes.words[b.Name] = word
	}
	if !slices.Equal(notes, m.boxes.notes) {
		m.boxes.notes = notes
		m.version++
	}
	if m.LookAtBoxes(now) {
		m.version++
		cmd = tea.Batch(cmd, m.answer(kit.Changed{}))
	}
	if answered > m.boxes.answered && !m.begun {
		cmd = tea.Batch(cmd, m.List())
	}
	m.boxes.answered = answered
	m.redrawBoxes()
	return cmd
}

// troubleOf says why the runs of a box are not as they are there; "" where they are, or were a
// moment ago. What another drolab of this machine does for the box is no trouble of this one.
func troubleOf(s box.State, now time.Time) string {
	switch {
	case s.Elsewhere:
		return ""
	case !s.Linked && s.Word != "" && (s.Silent(now) || s.Known.IsZero()):
		return "no link: " + s.Word
	}
	return s.Unwritable
}

// hasAnswered reports whether a box has said which runs it has, or is not going to.
func hasAnswered(s box.State) bool {
	return s.Complete || s.Elsewhere || s.Unwritable != "" || !s.Linked && s.Word != ""
}

// noMirror is said of a box with a link whose runs this machine cannot write.
const noMirror = " no mirror"

// noteOf returns what the header says of a box.
func noteOf(name string, s box.State, now time.Time) boxNote {
	name = cell.Clean(name)
	const step = 5 * time.Second // the header need not be drawn anew each second
	since := func(t time.Time) string { return kit.Duration(now.Sub(t).Truncate(step)) }
	switch {
	case s.Elsewhere && s.Silent(now): // another drolab of this machine keeps its mirror
		return boxNote{text: name + " silent " + since(s.Known), without: true}
	case s.Linked && s.Unwritable != "" && !s.Elsewhere:
		return boxNote{text: name + noMirror, without: true}
	case s.Linked || s.Elsewhere || !s.Known.IsZero() && !s.Silent(now):
		return boxNote{text: fmt.Sprintf("%s %d live", name, s.Live), live: s.Live}
	case s.Word == "":
		return boxNote{text: name + " connects", without: true}
	}
	return boxNote{text: name + " no link " + since(s.Since), without: true}
}

// liveHere returns the number of live runs of this machine: a box has its own.
func (m *Model) liveHere() int { return len(lab.Own(m.live)) }

// knownLive returns the live runs of this machine and of the boxes that have answered. What the
// mirror of another box says may be old.
func (m *Model) knownLive() []*record.Run {
	asked := map[string]bool{}
	for _, b := range m.Config.Boxes {
		asked[b.Name] = !hasAnswered(b.Link.State())
	}
	return slices.DeleteFunc(m.Silent.Live(m.live), func(r *record.Run) bool {
		return r.Mirrored() != nil && asked[r.Mirrored().Box]
	})
}

// withBoxes puts what is said of the boxes before the note of the header. No box is left out in
// silence: where there is no room for each, it names those without a link, or says how many boxes
// there are. A box without a link comes before the note, which gives up its last parts.
func (m *Model) withBoxes(note string, cells int) string {
	notes := m.boxes.notes
	var all, without []string
	live := 0
	for _, b := range notes {
		live += b.live
		all = append(all, b.text)
		if b.without {
			without = append(without, b.text)
		}
	}
	heads := []string{strings.Join(all, " · ")}
	switch most := len(without); {
	case most > 0:
		count := fmt.Sprintf("%d boxes", most)
		if most < len(notes) {
			count = fmt.Sprintf("%d of %d boxes", most, len(notes))
		}
		if heads = append(heads, strings.Join(without, " · ")); most > 1 {
			word := " no link"
			if slices.ContainsFunc(without, func(text string) bool {
				return strings.HasSuffix(text, noMirror)
			}) {
				word = " out of date"
			}
			heads = append(heads, count+word)
		}
	case len(notes) > 1:
		heads = append(heads, fmt.Sprintf("%d boxes %d live", len(notes), live),
			fmt.Sprintf("%d boxes", len(notes)))
	}
	for _, head := range heads {
		rest := note
		if len(without) > 0 {
			rest = m.Theme.Shorten(note, cells-cell.Width(head+" · "))
		}
		more := strings.Trim(head+" · "+rest, " ·")
		if cell.Width(more) <= cells && (rest != "" || note == "") {
			return more
		}
	}
	if last := heads[len(heads)-1]; len(without) > 0 && cell.Width(last) <= cells {
		return last
	}
	return note
}

// boxKey returns the row of the key table for Boxes. Its hint stands in the footer where there are
// boxes.
func (m *Model) boxKey() kit.Key {
	row := kit.Key{Keys: kit.On("M"), Help: "the other machines: their links and GPUs",
		Act: func() tea.Cmd { return m.openBoxes("") }, Group: kit.ToLook, Local: true}
	if len(m.Config.Boxes) > 0 {
		row.Hint, row.Last = "boxes", true
	}
	return row
}

// findBoxes returns what the search finds of the boxes.
func (m *Model) findBoxes() (list []offer) {
	for _, b := range m.Config.Boxes {
		list = append(list, offer{&kit.Key{Keys: kit.On(""), Called: []string{b.Name},
			Help: "box " + cell.Clean(b.Name),
			Act:  func() tea.Cmd { return m.openBoxes(b.Name) }}, m.current})
	}
	return list
}

// openBoxes opens the overlay Boxes, at the lines of one of them or "".
func (m *Model) openBoxes(name string) tea.Cmd {
	var places map[string]int
	o := &kit.Overlay{Title: "Boxes", Make: func(t *kit.Theme, w int) (lines []string) {
		lines, places = m.boxLines(t, w)
		return lines
	}}
	m.open(o)
	o.GoTo(places[name])
	m.boxes.overlay = o
	return m.List() // which runs each has
}

// redrawBoxes brings the overlay Boxes up to date while it is open.
func (m *Model) redrawBoxes() {
	o := m.boxes.overlay
	if o == nil || m.overlay != o {
		return
	}
	before := o.Lines
	if m.open(o); !slices.Equal(before, o.Lines) {
		m.version++
	}
}

// boxCells is the greatest width of the lines of Boxes.
const boxCells = 96

// boxLines returns the lines of Boxes in w cells, and where those of each box begin.
func (m *Model) boxLines(t *kit.Theme, w int) (lines []string, places map[string]int) {
	w = min(w, boxCells)
	if len(m.Config.Boxes) == 0 {
		return kit.Wrap("A box is another machine that you reach with ssh NAME. drolab --box NAME "+
			"also shows its runs, and --box NAME,NAME those of several. docs/boxes.md has more.",
			w), nil
	}
	places = map[string]int{}
	for i, b := range m.Config.Boxes {
		if i > 0 {
			lines = append(lines, "")
		}
		places[b.Name] = len(lines)
		s := b.Link.State()
		if s.Runs == 0 { // another process has the mirror, or nothing is known
			s.Runs = m.RunsOn(b.Name)
		}
		if !s.Linked || s.Elsewhere {
			s.Live = m.liveOn(b.Name)
		}
		lines = append(lines, describeBox(t, b.Name, s, m.now, w)...)
	}
	for i, line := range lines { // the overlay keeps its width when a time gets longer
		lines[i] = kit.Left(line, w)
	}
	return lines, places
}

// liveOn returns the number of runs of a box that were known last to go on.
func (m *Model) liveOn(box string) (n int) {
	for _, r := range m.live {
		if of := r.Mirrored(); of != nil && of.Box == box {
			n++
		}
	}
	return n
}

// describeBox returns what is known of a box, in w cells: its name with the state of its link, and
// what it said.
func describeBox(t *kit.Theme, name string, s box.State, now time.Time, w int) []string {
	state, st := linkText(s, now), t.Text
	if !s.Linked && !s.Elsewhere || s.Silent(now) || s.Unwritable != "" {
		st = t.Warn
	}
	var points []kit.Statement
	say := func(head, text string, st kit.Style) {
		if text = cell.OneLine(text); text != "" {
			points = append(points, kit.Statement{Name: head, Text: text, Style: st})
		}
	}
	if !s.Linked {
		say("Reason", s.Word, t.Alarm)
	}
	say("Mirror", s.Unwritable, t.Alarm)
	say("Runs", runsText(s, now), t.Text)
	if h := s.Hello; h != nil {
		say("Machine", strings.Join(lab.MachineOf(h), " · "), t.Text)
		for _, g := range s.GPUs {
			say(fmt.Sprintf("GPU %d", g.Index), gpuText(g), t.Text)
		}
		say("drolab", strings.Trim(h.Version+" on "+h.System+", runs in "+h.RunsDir, " ,"), t.Text)
		say("Clock", clockText(s.Offset), t.Warn)
		say("Logout", h.Advice, t.Warn)
	}
	if s.Bytes > 0 {
		say("Received", bytesText(s.Bytes), t.Text)
	}
	for _, problem := range s.Problems {
		say(cell.Warning, problem, t.Warn)
	}
	const all = 1 << 20
	for i := range points {
		points[i].Whole = true
	}
	head := t.Hang(t.Title.Paint(cell.Clean(name))+"  ", st, state, w)
	return append(head, t.Statements(points, 11, w, all)...)
}

// linkText says how the link of a box stands.
func linkText(s box.State, now time.Time) string {
	since := kit.Duration(now.Sub(s.Since).Truncate(time.Second))
	next := "trying again now"
	if left := s.Next.Sub(now).Truncate(time.Second); left > 0 {
		next = "next try in " + kit.Duration(left)
	}
	switch {
	case s.Elsewhere && s.Known.IsZero():
		return "another drolab on this machine keeps its mirror, and has heard nothing yet"
	case s.Elsewhere && s.Silent(now):
		return "another drolab on this machine keeps its mirror, and has heard nothing for " +
			kit.Age(now.Sub(s.Known))
	case s.Elsewhere && !s.Linked && s.Word != "":
		return "another drolab on this machine keeps its mirror up to date; from this one there " +
			"is no link for " + since + ", and nothing can be asked"
	case s.Elsewhere:
		return "another drolab on this machine keeps its mirror up to date"
	case s.Linked && s.Unwritable != "":
		return "linked for " + since + "; its runs are shown as they were known last"
	case s.Linked && !s.Complete && s.Asked > 0:
		return fmt.Sprintf("linked for %s; %d of %s have come", since, s.Come,
			kit.Plural(s.Asked, "run"))
	case s.Linked && !s.Complete:
		return fmt.Sprintf("linked for %s; the list of its runs is coming", since)
	case s.Linked:
		return "linked for " + since
	case s.Word == "":
		return "connecting"
	}
	return fmt.Sprintf("no link for %s; %s", since, next)
}

// runsText counts the runs of a box, and says of which moment the count is.
func runsText(s box.State, now time.Time) string {
	if s.Runs == 0 && !s.Complete {
		return "none known yet"
	}
	text := kit.Plural(s.Runs, "run")
	if s.Live > 0 {
		text += fmt.Sprintf(", %d live", s.Live)
	}
	if s.Runs > 0 && s.Silent(now) {
		text += ", as known " + kit.Age(now.Sub(s.Known)) + " ago"
	}
	return text
}

// gpuText says what a GPU is and does, as far as the box has said so.
func gpuText(g machine.GPU) string {
	const gibi = 1 << 30
	var words []string
	add := func(known bool, word string) {
		if known {
			words = append(words, word)
		}
	}
	add(g.Name != "", g.Name)
	add(g.Use.Of > 0, fmt.Sprintf("%.3g %% in use", g.Use.Used))
	add(g.Memory.Of > 0, fmt.Sprintf("%.3g of %.3g GiB", g.Memory.Used/gibi, g.Memory.Of/gibi))
	add(g.Temperature > 0, fmt.Sprintf("%.3g °C", g.Temperature))
	return strings.Join(words, " · ")
}

// clockText says how far the clock of a box is off; "" where that is less than a minute. Ages and
// times of runs are those of this machine's clock.
func clockText(off time.Duration) string {
	switch {
	case off.Abs() < time.Minute:
		return ""
	case off < 0:
		return kit.Age(-off) + " behind the clock of this machine"
	}
	return kit.Age(off) + " ahead of the clock of this machine"
}

// bytesText writes a number of bytes with its unit.
func bytesText(n int64) string {
	switch {
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
