package data

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// MaxClasses is the maximum number of values of a label or a group.
const MaxClasses = 1000

// wholeFloat is a whole number in the form of a float. A number that begins with a zero is a code.
var wholeFloat = regexp.MustCompile(`^(-?[1-9][0-9]*|0)\.0+$`)

// wholeName returns the name without the decimals of a whole number: 1.0 is 1.
func wholeName(name string) string {
	if !strings.HasSuffix(name, "0") || !strings.Contains(name, ".0") {
		return name // most are so
	}
	if m := wholeFloat.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return name
}

// PlaceAlike returns the place of a name among others, or else the place of the same whole number
// in another form, as 1.0 for 1; −1: there is none.
func PlaceAlike(names []string, name string) int {
	if at := slices.Index(names, name); at >= 0 {
		return at
	}
	return slices.IndexFunc(names, func(s string) bool { return wholeName(s) == wholeName(name) })
}

// SortNumeric sorts names by their values if all are integers; a missing one comes first.
func SortNumeric(names []string) {
	value := map[string]int{"": math.MinInt}
	for _, s := range names {
		v, err := strconv.Atoi(s)
		if err != nil && s != "" {
			return
		}
		if s != "" {
			value[s] = v
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(value[a], value[b]) })
}

// InOrder returns the names in the order of class names: by value if all are whole numbers, else in
// byte order.
func InOrder(names []string) []string {
	names = slices.Sorted(slices.Values(names))
	SortNumeric(names)
	return names
}
