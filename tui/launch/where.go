package launch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"drolab/runner"
	"drolab/runner/data/source"
	"drolab/runner/lists"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/cell"
	"drolab/tui/lab"

	tea "charm.land/bubbletea/v2"
)

// place is where the runs start, and what is known of that machine.
type place struct {
	where   string                  // the name of a box; "" is this machine
	entries map[string]source.Entry // its datasets by name, as last found; nil: not known yet
	asking  bool                    // for the datasets
	looked  time.Time               // when a tick last asked for them
	listed  []*record.Run           // the runs of all machines
	past    []*record.Run           // the runs of this one
	plan    estimate
}

// With boxes, the first row of the settings says where the runs start. It is no setting of a run.
const (
	whereKey = "where"
	here     = "here" // stands for this machine, as in filters
)

// whereRow returns the row of the place.
func (l *Page) whereRow() spec.Setting {
	const doc = "the machine that trains the runs: this one, or a box with data of its own"
	return spec.Setting{Key: whereKey, Choices: l.places, Doc: doc}
}

// places returns the names of all machines.
func (l *Page) places() []string {
	return append([]string{here}, l.BoxNames()...)
}

// checkPlace returns an error unless there is a machine of this name.
func (l *Page) checkPlace(name string) error {
	if !slices.Contains(l.places(), name) {
		return fmt.Errorf("where %q: expected %s", name, strings.Join(l.places(), " or "))
	}
	return nil
}

// choosePlace chooses the machine of a name that is among places.
func (l *Page) choosePlace(name string) {
	if name == here {
		name = ""
	}
	if name != l.where { // a tick asks for the datasets
		l.place = place{where: name, listed: l.listed}
		l.updatePlace()
	}
}

// Choices returns the choices that the user makes on the page.
func (l *Page) Choices() lab.Choices {
	if len(l.Config.Boxes) == 0 {
		return nil
	}
	return lab.Choices{{Name: whereKey,
		Get: func() []string {
			if l.where == "" {
				return nil
			}
			return []string{l.where}
		},
		Set: func(value []string) {
			name := here
			if len(value) == 1 && l.checkPlace(value[0]) == nil { // the box may be gone
				name = value[0]
			}
			l.choosePlace(name)
		}}}
}

// updatePlace brings up to date what follows from the machine and the list of runs.
func (l *Page) updatePlace() {
	l.past = lab.On(l.listed, l.where)
	l.updatePlan()
}

// findDatasets finds out which datasets the machine has.
func (l *Page) findDatasets() tea.Cmd {
	if l.Config.Shared || l.unreached() != "" {
		return nil
	}
	l.asking = true
	where, link, dir := l.where, l.Link(l.where), l.Config.DataDir
	return func() tea.Msg {
		m := datasetsMsg{where: where, entries: map[string]source.Entry{}}
		var list []source.Entry
		if link != nil {
			list, m.err = link.Datasets()
		} else {
			list = source.List(dir)
		}
		for _, e := range list {
			m.entries[e.Name] = e
		}
		return m
	}
}

// showDatasets takes in the datasets of the machine. If a box has not said which it has, a tick
// asks it again.
func (l *Page) showDatasets(m datasetsMsg) {
	if m.where != l.where { // the user has chosen another since
		return
	}
	l.asking = false
	if m.err == nil {
		l.entries = m.entries
	}
}

// lookEvery is the time between two looks at the datasets while the chosen one is missing.
const lookEvery = 2 * time.Second

// lookForData looks at the datasets again if the chosen one was missing, or nothing is known.
func (l *Page) lookForData(now time.Time) tea.Cmd {
	e, ok := l.entries[l.spec().Dataset]
	missing := l.entries == nil || ok && !e.Available
	if !missing || l.asking || now.Sub(l.looked) <= lookEvery {
		return nil
	}
	l.looked = now
	return l.findDatasets()
}

// unreached says why nothing can be asked of the machine now.
func (l *Page) unreached() string { return l.UnreachedBox(l.where) }

// notThere says why the runs cannot start on the machine, whatever its data are.
func (l *Page) notThere() string {
	if l.at == 0 { // the film plays here
		return ""
	}
	if why := l.unreached(); why != "" || l.where == "" {
		return why
	}
	if err := l.Link(l.where).CheckPaths(*l.spec()); err != nil {
		return cell.OneLine(err.Error())
	}
	return ""
}

// onPlace returns the machine as it ends a sentence: "here", "on gpu1".
func (l *Page) onPlace() string {
	if l.where == "" {
		return here
	}
	return "on " + cell.OneLine(l.where)
}

// processor returns that of the machine. A box that has not said a hello has none.
func (l *Page) processor() lab.Processor {
	if l.where == "" {
		return l.Config.Processor
	}
	if hello := l.Link(l.where).State().Hello; hello != nil {
		return lab.Processor{CPU: hello.CPU, Cores: hello.Cores}
	}
	return lab.Processor{}
}

// describePlace says what a box is: its name, processor, cores, memory and GPUs.
func (l *Page) describePlace() string {
	words := []string{"box " + cell.OneLine(l.where)}
	s := l.Link(l.where).State()
	if s.Hello != nil {
		words = append(words, lab.MachineOf(s.Hello)...)
	}
	var names []string
	count := map[string]int{}
	for _, g := range s.GPUs {
		name := cmp.Or(cell.OneLine(g.Name), "GPU")
		if count[name]++; count[name] == 1 {
			names = append(names, name)
		}
	}
	for _, name := range names {
		words = append(words, fmt.Sprintf("%d × %s", count[name], name))
	}
	return strings.Join(words, " · ")
}

// viewPlaces paints the names of the machines, with that of the chosen one in brackets. Where they
// do not all fit, it comes first.
func (l *Page) viewPlaces(room int) string {
	t := l.Theme
	chosen := cmp.Or(l.where, here)
	paint := func(name string) string {
		if name == chosen {
			return t.Title.Paint("[" + cell.OneLine(name) + "]")
		}
		return t.Dim.Paint(cell.OneLine(name))
	}
	gap := t.Dim.Paint(" | ")
	all := strings.Join(lists.Map(l.places(), paint), gap)
	if cell.Width(all) > room {
		others := slices.DeleteFunc(l.places(), func(name string) bool { return name == chosen })
		all = paint(chosen) + gap + strings.Join(lists.Map(others, paint), gap)
	}
	return all
}

// missingText says how to get a dataset that the machine lacks.
func (l *Page) missingText(e source.Entry) string {
	name := cell.OneLine(e.Name)
	at, more := "this machine", ""
	if l.where != "" {
		at, more = "box "+l.where, " --box "+l.where
	}
	return fmt.Sprintf("%s is not on %s. drolab data fetch %s%s downloads it (%.0f MB)", name, at,
		name, more, float64(e.Download)/1e6)
}

// begin starts the reviewed runs.
func (l *Page) begin() tea.Cmd {
	l.Starting = fmt.Sprintf("Starting %s …", l.total())
	return l.Opening(l.StartOn(l.where, runner.Request{Preset: l.preset().Name,
		Specs: l.spec().Expand(), Parts: l.preset().Parts()}))
}
