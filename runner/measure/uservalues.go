package measure

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"drolab/dro"
)

// A program that is trained may log values of its own, which it names itself. They are in step
// events beside the measures of the table, and are measures of that run alone.

// userPrefix is the prefix of the names of such values, so that none equals a name of the table.
const userPrefix = "user."

// Limits of a program's own values.
const (
	MostUser     = 64 // number of names in a run
	mostUserName = 64 // length of a name in bytes, without the prefix
)

// Sides says which values of a program's own measures are better: the greater for the measures in
// Higher, the smaller for those in Lower. For all others it is not known.
type Sides struct {
	Higher []string `json:"higher,omitempty"`
	Lower  []string `json:"lower,omitempty"`
}

// UserName returns the name of the measure for the value that a program calls name. Names are in
// files, filters, lists and on screens: a character that has another meaning in one of these
// becomes an underscore.
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

// inUserName reports whether a character has no other meaning anywhere.
func inUserName(r rune) bool {
	return unicode.IsPrint(r) && !unicode.IsSpace(r) && !strings.ContainsRune("\"\\,;:=<>!|()`", r)
}

// IsUser reports whether a measure's name is the name of a program's own value. A name that
// UserName would not return is not: a file may come from anybody.
func IsUser(name string) bool {
	said, ok := strings.CutPrefix(name, userPrefix)
	return ok && 0 < len(said) && len(said) <= mostUserName && utf8.ValidString(said) &&
		!strings.ContainsFunc(said, func(r rune) bool { return !inUserName(r) })
}

// Clean returns the sides with UserName applied to the names that a program gave.
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

// Sense returns the better side of a measure of a program's own.
func (s Sides) Sense(name string) dro.Sense {
	switch {
	case slices.Contains(s.Higher, name):
		return dro.Higher
	case slices.Contains(s.Lower, name):
		return dro.Lower
	}
	return dro.Neither
}

// UserMeasure returns the row of a program's own value; all such rows are made here. IsUser accepts
// its name.
func UserMeasure(name string, better dro.Sense) Measure {
	return Measure{Main: true, Measure: dro.Measure{Name: name, Title: name, Better: better,
		Doc: "a value of the program's own, as it last gave it"}}
}

// User returns the values of the program's own.
func (v Values) User() (own Values) {
	for _, x := range v {
		if IsUser(x.Name) {
			own = append(own, x)
		}
	}
	return own
}
