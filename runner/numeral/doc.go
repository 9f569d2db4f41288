// Package numeral reads the numbers and durations that people write: in presets, sweeps and
// studies, in flags and --set, in the fields of the interface and in the options of datasets. All
// of them are read by this rule:
//
//	number   = [ "+" | "-" ] ( digits [ "." [ digits ] ] | "." digits ) [ exponent ]
//	digits   = digit { [ "_" ] digit }
//	exponent = ( "e" | "E" ) [ "+" | "-" ] digit { digit }
//
// A digit is one of 0 to 9, and every number is in base ten: leading zeros mean nothing, and there
// are no prefixes for other bases. Blanks and tabs around a number are ignored. A whole number may
// be written as 1e3 or 8.0. Zero has no sign. Words such as inf and nan are no numbers, and neither
// are numbers too large or too small for a float64.
//
// A duration is one or more numbers with their units, the longest unit first:
//
//	duration = number unit { number unit } | "0"
//	unit     = "w" | "d" | "h" | "m" | "s" | "ms"
//
// It does not read the cells of tables, which other programs have written, or JSON.
//
// # Files
//
//	numeral.go   the reading of numbers: as float64, int, int64, uint64, and as JSON writes them
//	duration.go  the reading of durations, as in 90m or 1d12h
//	remedy.go    the end of an error, ": write 16" for 0x10
package numeral
