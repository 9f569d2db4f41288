package measure

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"drolab/dro"
)

// A program that is trained may have values of its own, which it names itself. They stand
// in step events beside those of the table, and are measures of that run alone.

// userPrefix stands before their names, so that none is one of the table's.
const userPrefix = "user."

// Bounds of them.
const (
	MostUser     = 64 // names of a run
	mostUserName = 64 // bytes, without the prefix
)

// Sides says which of a program's own values are the better ones: of the named measures,
// the greater or the smaller. Of all others it is not known.
type Sides struct {
	Higher []string `json:"higher,omitempty"`
	Lower  []string `json:"lower,omitempty"`
}

// UserName is the measure of the value that a program calls name. Names are in files,
// filters, lists and on screens: a character that one of these would take for
// something else becomes a low line.
func UserName(name string) (string, error) {
	name = strings.Map(func(r rune) rune {
		if !inUserName(r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	switch {
	case name == "":
		return "", errors.New("a value of its own has no name")
	case len(name) > mostUserName:
		cut := mostUserName
		for !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut]
	}
	return userPrefix + name, nil
}

// inUserName tells whether a character is itself everywhere.
func inUserName(r rune) bool {
	return unicode.IsPrint(r) && !unicode.IsSpace(r) && !strings.ContainsRune("\"\\,;:=<>!|()`", r)
}

// IsUser tells whether a measure's name is that of a program's own value. One that UserName
// would not give is none: a file may come from anybody.
func IsUser(name string) bool {
	said, ok := strings.CutPrefix(name, userPrefix)
	return ok && 0 < len(said) && len(said) <= mostUserName && utf8.ValidString(said) &&
		!strings.ContainsFunc(said, func(r rune) bool { return !inUserName(r) })
}

// Clean has the measures of the names that a program gave.
func (s Sides) Clean() (c Sides, err error) {
	for _, side := range []struct {
		to   *[]string
		from []string
	}{{&c.Higher, s.Higher}, {&c.Lower, s.Lower}} {
		for _, said := range side.from {
			name, err := UserName(said)
			if err != nil {
				return Sides{}, err
			}
			*side.to = append(*side.to, name)
		}
	}
	return c, nil
}

// Sense is the better side of a measure of a program's own.
func (s Sides) Sense(name string) dro.Sense {
	switch {
	case slices.Contains(s.Higher, name):
		return dro.Higher
	case slices.Contains(s.Lower, name):
		return dro.Lower
	}
	return dro.Neither
}

// UserMeasure is the row of a program's own value, the one rule for all of them. Its name
// is one of IsUser.
func UserMeasure(name string, better dro.Sense) Measure {
	return Measure{Main: true, Measure: dro.Measure{Name: name, Title: name, Better: better,
		Doc: "a value of the program's own, as it last gave it"}}
}

// User are the program's own among values.
func (v Values) User() (own Values) {
	for _, x := range v {
		if IsUser(x.Name) {
			own = append(own, x)
		}
	}
	return own
}
