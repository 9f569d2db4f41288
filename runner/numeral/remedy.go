package numeral

import (
	"math"
	"math/big"
	"regexp"
	"strings"
)

// Remedy returns the end of an error about a text that is not the number that is wanted, as in
// ": write 16" for 0x10. It is empty if there is nothing to say beyond what is wanted.
func Remedy(text string) string {
	const most = 1 << 63
	text = strings.Trim(text, " \t")
	part := numberForm.FindStringSubmatch(text)
	isNumber := part != nil && part[2]+part[3] != ""
	if x, ok := Float(text); isNumber && (!ok || math.Abs(x) >= most) {
		return ": it is out of range"
	}
	if literal, ok := likelyMeant(text); ok && !isNumber {
		return ": write " + literal
	}
	switch strings.ToLower(strings.TrimLeft(text, "+-.")) {
	case "inf", "infinity", "nan":
		return ": it is not finite"
	}
	return ""
}

// likelyMeant returns in decimal the number that is most likely meant by a text that is no number
// here: one in another base, with separated thousands, with a decimal comma or in full-width
// digits.
func likelyMeant(text string) (literal string, ok bool) {
	text = strings.Map(halfWidth, text)
	switch lower := strings.ToLower(strings.TrimLeft(text, "+-")); {
	case len(lower) > 1 && lower[0] == '0' && strings.ContainsRune("xob", rune(lower[1])):
		n, ok := new(big.Int).SetString(text, 0)
		if !ok {
			return "", false
		}
		return Decimal(n.String())
	case thousands.MatchString(text):
		return Decimal(separators.Replace(text))
	case decimalComma.MatchString(text):
		return Decimal(strings.Replace(text, ",", ".", 1))
	}
	return Decimal(strings.ReplaceAll(text, "_", ""))
}

var (
	thousands    = regexp.MustCompile(`^[+-]?[0-9]{1,3}([,' \x{a0}\x{202f}][0-9]{3})+(\.[0-9]+)?$`)
	separators   = strings.NewReplacer(",", "", "'", "", " ", "", "\u00a0", "", "\u202f", "")
	decimalComma = regexp.MustCompile(`^[+-]?[0-9]*,[0-9]+$`)
)

// halfWidth returns the ASCII character that looks like r.
func halfWidth(r rune) rune {
	const first, last, minus = '！', '～', '−' // all of ASCII but the blank, in full width
	switch {
	case r >= first && r <= last:
		return r - first + '!'
	case r == minus:
		return '-'
	}
	return r
}
