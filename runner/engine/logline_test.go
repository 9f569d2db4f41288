package engine

import "testing"

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"run a\nb\x1b[2J\u009b\u202e": "run a; b?[2J??",
		"λ ≥ 0: 0123456789":           "λ ≥ 0: 0123456789",
		"12345678901234567890":        "12345678901234567…",
	} {
		t.Run(in, func(t *testing.T) {
			if got := logLine(in, 17); got != want {
				t.Errorf("%q is logged as %q, want %q", in, got, want)
			}
		})
	}
}
