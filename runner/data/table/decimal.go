package table

import (
	"math"
	"strconv"
)

// The word of a number is a decimal of up to eight digits, exactly as the text has it: the sign,
// the number of decimals and the digits. The word of any other number is its place in a list,
// marked by a number of decimals that is not possible, inList.
const (
	signBit    = 1 << 31
	digitsBits = 27
	digitsMask = 1<<digitsBits - 1
	inList     = 15
	noNumber   = inList<<digitsBits | digitsMask // a missing number
)

var powers = [inList]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
	1e13, 1e14}

// decimalWord returns the word of a text like -12.34; ok is false for a text with more digits or in
// another form.
func decimalWord(s string) (word uint32, ok bool) {
	i := 0
	if s != "" && s[0] == '-' {
		word, i = signBit, 1
	}
	digits, after, point := uint32(0), uint32(0), uint32(0)
	for begin := i; i < len(s); i++ {
		d := uint32(s[i]) - '0'
		switch {
		case d <= 9:
			digits = 10*digits + d
			if digits > digitsMask {
				return 0, false
			}
			after += point
		case s[i] == '.' && point == 0 && i > begin:
			point = 1
		default:
			return 0, false
		}
	}
	if last := len(s) - 1; last < 0 || s[last]-'0' > 9 || after >= inList {
		return 0, false
	}
	return word | after<<digitsBits | digits, true
}

// decimalOf returns the number that the word of a decimal stands for. Digits and power are exact,
// so the result is the float64 nearest to the text, as from strconv.
func decimalOf(word uint32) float64 {
	v := float64(word&digitsMask) / powers[word>>digitsBits&inList]
	if word&signBit != 0 {
		return -v
	}
	return v
}

// number reads a cell that is not missing; ok is false if the cell is not a number.
func number(cell string) (v float64, ok bool) {
	if w, ok := decimalWord(cell); ok {
		return decimalOf(w), true
	}
	v, err := strconv.ParseFloat(cell, 64)
	return v, err == nil || math.IsInf(v, 0)
}
