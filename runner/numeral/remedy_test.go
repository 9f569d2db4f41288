package numeral

import "testing"

func TestRemedy(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"0x10", ": write 16"}, {"-0X10", ": write -16"}, {"0b11", ": write 3"},
		{"0o17", ": write 15"}, {"0x_1_0", ": write 16"}, {"1_", ": write 1"},
		{"1__0", ": write 10"}, {"1,000", ": write 1000"}, {"1'000'000.5", ": write 1000000.5"},
		{"1 000", ": write 1000"}, {"1\u202f000", ": write 1000"}, {"0,5", ": write 0.5"},
		{",5", ": write 0.5"}, {"８", ": write 8"}, {"−8", ": write -8"}, {"０.５", ": write 0.5"},
		{"1e400", ": it is out of range"}, {"1e-400", ": it is out of range"},
		{"18446744073709551616", ": it is out of range"}, {"9223372036854775808",
			": it is out of range"}, {"1e21", ": it is out of range"},
		{"8.5", ""}, {"-8", ""}, {"inf", ": it is not finite"},
		{"-Infinity", ": it is not finite"}, {".NaN", ": it is not finite"},
		{"0x", ""}, {"0b2", ""}, {"many", ""},
		{"", ""}, {"0o8", ""}, {"1,2,3", ""},
	} {
		if got := Remedy(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
