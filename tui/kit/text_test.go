package kit

import (
	"testing"
	"time"

	"drolab/tui/cell"
)

func TestWidths(t *testing.T) {
	for _, s := range []string{"", "a", "abcdef", "世界世界", "λ̄λ̄λ̄", "\x1b[1mbold\x1b[m and more",
		"a世b界c"} {
		for w := range 12 {
			for name, got := range map[string]string{"left": Left(s, w), "right": Right(s, w),
				"spread": Justify(s, "xy", w)} {
				if cell.Width(got) != w {
					t.Errorf("%s(%q, %d) = %q has %d cells, want %d", name, s, w, got,
						cell.Width(got), w)
				}
			}
			if got := cell.Cut(s, w); cell.Width(got) > w {
				t.Errorf("cut(%q, %d) = %q has %d cells", s, w, got, cell.Width(got))
			}
		}
	}
}

func TestDuration(t *testing.T) {
	for in, want := range map[time.Duration]string{7 * time.Second: "7s",
		754 * time.Second: "12m34s", 3723 * time.Second: "1h02m"} {
		if got := Duration(in); got != want {
			t.Errorf("Duration(%v) = %q, want %q", in, got, want)
		}
	}
}

// TestAge: an age has its largest unit.
func TestAge(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{0: "0 s", 44 * time.Second: "40 s",
		time.Minute: "1 min", 59*time.Minute + 59*time.Second: "59 min", time.Hour: "1 h",
		day - time.Second: "23 h", day: "1 d", 400 * day: "400 d"} {
		if got := Age(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
