package disk

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

// A seal is the checksum of a text in the text's own last field: CRC-32C. It detects every change
// of up to three bits, and every change within 32 bits, in a line or a JSON file of the lengths
// used here. A text without a seal was written by hand, or by a program from before there were
// seals, and is not checked.
type seal struct {
	end  string // end of the text without a seal
	mark string // text before the checksum's eight digits
	last string // text behind them
}

var (
	LineSeal = seal{"}", `,"crc":"`, `"}`}
	fileSeal = seal{"\n}\n", ",\n  \"crc\": \"", "\"\n}\n"}
	oneSeal  = seal{"}\n", `,"crc":"`, "\"}\n"} // for a file of one line
)

var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrSum is worded as part of a sentence.
var ErrSum = errors.New("checksum differs: something in it has changed since it was written")

// Put returns the text with its seal.
func (s *seal) Put(text []byte) []byte {
	body := text[:len(text)-len(s.end)]
	sum := crc32.Checksum(body, Castagnoli)
	return fmt.Appendf(body, "%s%08x%s", s.mark, sum, s.last)
}

// Check returns the text without its seal, in the same memory. The error is ErrSum where the seal
// does not fit the text.
func (s *seal) Check(text []byte) (bare []byte, sealed bool, err error) {
	n := len(text) - len(s.mark) - 8 - len(s.last)
	if n < 0 || !bytes.HasSuffix(text, []byte(s.last)) || string(text[n:n+len(s.mark)]) != s.mark {
		return text, false, nil
	}
	sum, ok := digits(text[n+len(s.mark):][:8])
	if !ok || sum != crc32.Checksum(text[:n], Castagnoli) {
		return nil, true, ErrSum
	}
	return append(text[:n], s.end...), true, nil // shorter than the seal in the same place
}

// nearly reports whether a text ends in a seal of which a byte or two have changed. Such a text is
// not from a program that wrote no seals.
func (s *seal) nearly(text []byte) bool {
	const digits, most = 8, 2
	n := len(text) - len(s.mark) - digits - len(s.last)
	if n < 0 {
		return false
	}
	other := 0
	for i, want := range []byte(s.mark + strings.Repeat("0", digits) + s.last) {
		if in := i - len(s.mark); (in < 0 || in >= digits) && text[n+i] != want {
			other++
		}
	}
	return 0 < other && other <= most
}

// digits parses the hexadecimal digits of a checksum.
func digits(text []byte) (sum uint32, ok bool) {
	for _, c := range text {
		switch {
		case '0' <= c && c <= '9':
			sum = sum<<4 | uint32(c-'0')
		case 'a' <= c && c <= 'f':
			sum = sum<<4 | uint32(c-'a'+10)
		default:
			return 0, false
		}
	}
	return sum, true
}
