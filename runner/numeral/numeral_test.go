package numeral

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestDecimal has each form in which people write numbers, and what it states.
func TestDecimal(t *testing.T) {
	for _, c := range []struct{ text, want string }{ // want "" is no number
		{"8", "8"}, {"010", "10"}, {"-010", "-10"}, {"0010.5", "10.5"}, {"000", "0"}, {"08", "8"},
		{"+8", "8"}, {"-0", "0"}, {"-0.0", "0"}, {"0e5", "0"}, {"0e99999999999999999999", "0"},
		{" 8 ", "8"}, {"\t8\t", "8"}, {".5", "0.5"}, {"-.5", "-0.5"}, {"5.", "5"}, {"8.0", "8"},
		{"1_000", "1000"}, {"1_0_0.2_5", "100.25"}, {"1e3", "1000"}, {"1E3", "1000"},
		{"1e+3", "1000"}, {"1.5e0", "1.5"}, {"1.5e1", "15"}, {"1500e-2", "15"}, {"001e-3", "0.001"},
		{".5e1", "5"}, {"1e-7", "1e-7"}, {"0.1", "0.1"}, {"1e19", "10000000000000000000"},
		{"1e20", "100000000000000000000"}, {"1e21", "1e+21"},
		{"9007199254740993", "9007199254740993"}, {"9007199254740993.0", "9007199254740993"},
		{"9223372036854775808", "9223372036854775808"},
		{"18446744073709551616", "18446744073709551616"}, {"1.7976931348623157e308",
			"1.7976931348623157e+308"}, {"5e-324", "5e-324"},
		{"", ""}, {" ", ""}, {".", ""}, {"+", ""}, {"-", ""}, {"e3", ""}, {".e3", ""}, {"1e", ""},
		{"1e3.5", ""}, {"1.2.3", ""}, {"1__0", ""}, {"1_", ""}, {"_1", ""}, {"1_.5", ""},
		{"1._5", ""}, {"1e1_0", ""}, {"--1", ""}, {"+-1", ""}, {"1 000", ""}, {"1,000", ""},
		{"1,5", ""}, {"0x10", ""}, {"0X10", ""}, {"0b1", ""}, {"0o7", ""}, {"0x1p4", ""},
		{"inf", ""}, {"-Inf", ""}, {".inf", ""}, {"infinity", ""}, {"nan", ""}, {".nan", ""},
		{"1e400", ""}, {"-1e400", ""}, {"1e-400", ""}, {"1e99999999999999999999", ""},
		{"８", ""}, {"٨", ""}, {"−8", ""}, {"8\n", ""}, {"\u00a08", ""}, {"1k", ""}, {"5%", ""},
		{"true", ""}, {"auto", ""},
	} {
		got, ok := Decimal(c.text)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q is %q, %v; want %q", c.text, got, ok, c.want)
		}
	}
}

// TestOfTypes: a number is read exactly, and refused where the type cannot hold it.
func TestOfTypes(t *testing.T) {
	const none = "none"
	show := func(v any, ok bool) string {
		switch v := v.(type) {
		case float64:
			if ok {
				return strconv.FormatFloat(v, 'g', -1, 64)
			}
		case int:
			if ok {
				return strconv.Itoa(v)
			}
		case int64:
			if ok {
				return strconv.FormatInt(v, 10)
			}
		case uint64:
			if ok {
				return strconv.FormatUint(v, 10)
			}
		}
		return none
	}
	for _, c := range []struct{ text, float, signed, unsigned string }{
		{"010", "10", "10", "10"}, {"-010", "-10", "-10", none}, {"-0", "0", "0", "0"},
		{"1e3", "1000", "1000", "1000"}, {"8.5", "8.5", none, none}, {"0x10", none, none, none},
		{"9223372036854775807", "9.223372036854776e+18",
			"9223372036854775807", "9223372036854775807"},
		{"9223372036854775808", "9.223372036854776e+18", none, "9223372036854775808"},
		{"18446744073709551615.0", "1.8446744073709552e+19", none, "18446744073709551615"},
		{"18446744073709551616", "1.8446744073709552e+19", none, none},
		{"1e400", none, none, none}, {"inf", none, none, none}, {"nan", none, none, none},
	} {
		x, ok := Float(c.text)
		if got := show(x, ok); got != c.float {
			t.Errorf("%q as a float64 is %s, want %s", c.text, got, c.float)
		}
		n, ok := Int(c.text)
		if got := show(n, ok); got != c.signed {
			t.Errorf("%q as an int is %s, want %s", c.text, got, c.signed)
		}
		i, ok := Int64(c.text)
		if got := show(i, ok); got != c.signed {
			t.Errorf("%q as an int64 is %s, want %s", c.text, got, c.signed)
		}
		u, ok := Uint64(c.text)
		if got := show(u, ok); got != c.unsigned {
			t.Errorf("%q as a uint64 is %s, want %s", c.text, got, c.unsigned)
		}
	}
}

// TestWrittenNumbersAreRead: what this program and others write is read as the same number. The
// second source is the standard library.
func TestWrittenNumbersAreRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		want := math.Float64frombits(rng.Uint64())
		if math.IsNaN(want) || math.IsInf(want, 0) {
			continue
		}
		for _, form := range []byte("efgG") {
			text := strconv.FormatFloat(want, form, -1, 64)
			if got, ok := Float(text); !ok || got != want {
				t.Fatalf("%s is %v, %v; want %v", text, got, ok, want)
			}
		}
		n := rng.Uint64() >> rng.IntN(64)
		text := strings.Repeat("0", rng.IntN(4)) + strconv.FormatUint(n, 10)
		if got, ok := Uint64(text); !ok || got != n {
			t.Fatalf("%s is %d, %v; want %d", text, got, ok, n)
		}
	}
}
