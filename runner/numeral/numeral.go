package numeral

import (
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

var form = regexp.MustCompile(
	`^([+-]?)([0-9](?:_?[0-9])*)?(?:\.([0-9](?:_?[0-9])*)?)?(?:[eE]([+-]?[0-9]+))?$`)

// mostDigits is the number of decimal digits of the largest uint64.
const mostDigits = 20

// Decimal returns the number that a text states, as JSON writes it. A whole number of at most 20
// digits is written with all of them; another number is rounded to a float64.
func Decimal(text string) (literal string, ok bool) {
	text = strings.Trim(text, " \t")
	if n, err := strconv.ParseUint(text, 10, 64); err == nil { // digits alone: fast, and common
		return strconv.FormatUint(n, 10), true
	}
	part := form.FindStringSubmatch(text)
	if part == nil || part[2]+part[3] == "" {
		return "", false
	}
	plain := strings.ReplaceAll(text, "_", "")
	sign, fraction := strings.TrimPrefix(part[1], "+"), strings.ReplaceAll(part[3], "_", "")
	digits := strings.TrimLeft(strings.ReplaceAll(part[2], "_", "")+fraction, "0")
	if digits == "" {
		return "0", true
	}
	x, err := strconv.ParseFloat(plain, 64)
	if err != nil || x == 0 {
		return "", false
	}
	// The number is its digits, without those zeros at their end, times ten to the power.
	significant := strings.TrimRight(digits, "0")
	power, _ := strconv.Atoi(part[4]) // empty or, as x is finite and not 0, small
	power += len(digits) - len(significant) - len(fraction)
	if power >= 0 && len(significant)+power <= mostDigits {
		return sign + significant + strings.Repeat("0", power), true
	}
	rounded, err := json.Marshal(x)
	return string(rounded), err == nil
}

// Float returns the number that a text states.
func Float(text string) (x float64, ok bool) {
	literal, ok := Decimal(text)
	if !ok {
		return 0, false
	}
	x, err := strconv.ParseFloat(literal, 64)
	return x, err == nil
}

// Int returns the whole number that a text states; ok is false, too, if an int cannot hold it.
func Int(text string) (n int, ok bool) {
	literal, _ := Decimal(text)
	n, err := strconv.Atoi(literal)
	return n, err == nil
}

// Int64 is Int for an int64.
func Int64(text string) (n int64, ok bool) {
	literal, _ := Decimal(text)
	n, err := strconv.ParseInt(literal, 10, 64)
	return n, err == nil
}

// Uint64 is Int for a uint64.
func Uint64(text string) (n uint64, ok bool) {
	literal, _ := Decimal(text)
	n, err := strconv.ParseUint(literal, 10, 64)
	return n, err == nil
}

// Remedy returns the end of an error about a text that is not the number that is wanted, as in
// ": write 16" for 0x10. It is empty if there is nothing to say beyond what is wanted.
func Remedy(text string) string {
	const most = 1 << 63
	text = strings.Trim(text, " \t")
	part := form.FindStringSubmatch(text)
	isNumber := part != nil && part[2]+part[3] != ""
	if x, ok := Float(text); isNumber && (!ok || math.Abs(x) >= most) {
		return ": it is out of range"
	}
	if literal, ok := meant(text); ok && !isNumber {
		return ": write " + literal
	}
	switch strings.ToLower(strings.TrimLeft(text, "+-.")) {
	case "inf", "infinity", "nan":
		return ": it is not finite"
	}
	return ""
}

// meant returns in decimal the number that is most likely meant by a text that is no number here:
// one in another base, with separated thousands, with a decimal comma or in full-width digits.
func meant(text string) (literal string, ok bool) {
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
