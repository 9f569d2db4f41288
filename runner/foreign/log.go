package foreign

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"drolab/runner/measure"
)

// Point is a number that a log has at a step.
type Point struct {
	Step  int64
	Epoch float64 // finished epochs as the log has them; 0: it does not say
	Name  string  // as the log has it
	// Group is the place of the group that the number is of, and -1 for all others. The name is a
	// measure with a number for each group then.
	Group int
	Value float64
	// Elapsed is the seconds since the start of the log; empty: it does not say.
	Elapsed measure.Number
}

// Setting is a setting as the log has it.
type Setting struct{ Key, Value string }

// Log is what a reader tells of a log, beside its points.
type Log struct {
	Name     string // the run's own name, if it has one
	Settings []Setting
	Parts    measure.Parts
	PerEpoch int64 // steps in an epoch; 0: not known
	Planned  int64 // steps; 0: not known
	// Ended says that the log itself says that its run has ended; Cause, why it failed.
	Ended bool
	Cause string
	Notes []string

	// asked reports whether the user asks for a name, which is then kept beyond mostNames.
	asked func(name string) bool
	take  func(Point) error
	purge func(from int64, names []string) error // nil names: all
	names map[string]bool
	noted map[string]bool
	timing
}

// Bounds of what a log may have.
const (
	mostName     = 500     // bytes of a name
	mostNames    = 4096    // different names
	mostSettings = 1000    // settings
	mostValue    = 200     // bytes of a setting's value
	mostNotes    = 20      // notes of one log
	mostStep     = 1 << 52 // a step is exact as a float64
)

// point hands on a number. Numbers at impossible steps, and of more names than are kept, are
// passed over with a note.
func (l *Log) point(p Point) error {
	if p.Name = clean(p.Name, mostName); p.Name == "" {
		return nil
	}
	if p.Step < 0 || p.Step > mostStep {
		l.note("numbers at impossible steps are left out, such as %d", p.Step)
		return nil
	}
	if !(p.Epoch >= 0 && p.Epoch < mostStep) {
		p.Epoch = 0
	}
	if !l.names[p.Name] {
		n := len(l.names)
		if n >= mostNames && (n >= 2*mostNames || l.asked == nil || !l.asked(p.Name)) {
			l.note("names after the first %d are left out, but for those of --keep and --map",
				mostNames)
			return nil
		}
		if l.names == nil {
			l.names = map[string]bool{}
		}
		l.names[p.Name] = true
	}
	return l.take(p)
}

// setting keeps a setting; of two with one key, the later.
func (l *Log) setting(key, value string) {
	key, value = clean(key, mostName), clean(value, mostValue)
	if key == "" {
		return
	}
	for i := range l.Settings {
		if l.Settings[i].Key == key {
			l.Settings[i].Value = value
			return
		}
	}
	if len(l.Settings) < mostSettings {
		l.Settings = append(l.Settings, Setting{key, value})
	}
}

// note keeps a note, one of each kind.
func (l *Log) note(format string, args ...any) {
	if l.noted[format] || len(l.Notes) >= mostNotes {
		return
	}
	if l.noted == nil {
		l.noted = map[string]bool{}
	}
	l.noted[format] = true
	l.Notes = append(l.Notes, clean(fmt.Sprintf(format, args...), 4*mostValue))
}

// clean returns a text of a file as one line without signs that a terminal obeys, of at most so
// many bytes.
func clean(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text[:min(len(text), 4*most)], "?"))
	text = strings.TrimSpace(text)
	if len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text = text[:most]
	}
	return text
}

// Kind is a kind of logs.
type Kind struct {
	Name    string // for --as
	Program string // who writes them, in words
	// is reports whether a file with this beginning is such a log.
	is func(head []byte) bool
	// folder says that all such files of a folder are one log; else each file is one.
	folder bool
	read   func(in *Source, l *Log) error
	// whole says that the file is rewritten as a whole.
	whole bool
	// rotates says that the log may go on in a new file, when its own is moved away.
	rotates bool
}

// kinds are the kinds of logs, in the order in which a file is tried. A kind that another one is a
// special case of comes after that one.
var kinds = []Kind{
	{Name: "tensorboard", Program: "TensorBoard", is: isEvents, folder: true, read: readEvents},
	{Name: "wandb", Program: "W&B", is: isWandb, read: readWandb},
	{Name: "trainer", Program: "Transformers", is: isTrainer, read: readTrainer, whole: true},
	{Name: "domainbed", Program: "DomainBed", is: isDomainBed, read: readLines, rotates: true},
	{Name: "jsonl", Program: "JSON lines", is: isLines, read: readLines, rotates: true},
	{Name: "group_dro", Program: "group_DRO", is: isGroupDRO, folder: true, read: readGroupDRO},
	{Name: "lightning", Program: "Lightning", is: isLightning, read: readTable, rotates: true},
	{Name: "csv", Program: "CSV", is: isTable, read: readTable, rotates: true},
}

// KindNames lists the kinds of logs, for --as.
func KindNames() (names []string) {
	for i := range kinds {
		names = append(names, kinds[i].Name)
	}
	return names
}

// kindNamed returns the kind of a name, or nil.
func kindNamed(name string) *Kind {
	for i := range kinds {
		if kinds[i].Name == name {
			return &kinds[i]
		}
	}
	return nil
}
