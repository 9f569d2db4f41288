package data

import (
	"regexp"
	"strconv"
	"strings"
)

// PlainNumber rewrites a number with a decimal comma, separated thousands, a currency sign or a
// percent sign as programs read it. If ok is false, the cell is not such a number.
func PlainNumber(cell string) (plain string, ok bool) {
	plain = strings.TrimSpace(strings.Trim(cell, "$€£¥%"))
	switch {
	case thousands.MatchString(plain):
		plain = separators.Replace(plain)
	case decimalComma.MatchString(plain):
		plain = strings.Replace(plain, ",", ".", 1)
	case points.MatchString(plain):
		plain = strings.Replace(strings.ReplaceAll(plain, ".", ""), ",", ".", 1)
	case plain == cell:
		return "", false
	}
	_, err := strconv.ParseFloat(plain, 64)
	return plain, err == nil
}

var (
	decimalComma = regexp.MustCompile(`^[-+]?[0-9]*,[0-9]+$`)
	thousands    = regexp.MustCompile(`^[-+]?[0-9]{1,3}([,' \x{a0}\x{202f}][0-9]{3})+(\.[0-9]+)?$`)
	points       = regexp.MustCompile(`^[-+]?[0-9]{1,3}(\.[0-9]{3})+(,[0-9]+)?$`)
	separators   = strings.NewReplacer(",", "", "'", "", " ", "", "\u00a0", "", "\u202f", "")
)
