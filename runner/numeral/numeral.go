package numeral

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

var numberForm = regexp.MustCompile(
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
	part := numberForm.FindStringSubmatch(text)
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
