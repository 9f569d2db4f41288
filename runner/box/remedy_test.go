package box

import "testing"

// TestNameBox: a command that a box names as a remedy names the box here, and other text does not.
func TestNameBox(t *testing.T) {
	for text, want := range map[string]string{
		"with drolab trust '/a b.py'":     "with drolab trust --box gpu1 '/a b.py'",
		"run `drolab data fetch cifar10`": "run `drolab data fetch --box gpu1 cifar10`",
		"see drolab engine status":        "see drolab engine status --box gpu1",
		"drolab doctor has the remedy":    "drolab doctor --box gpu1 has the remedy",
		"drolab show A; drolab resume B": "drolab show --box gpu1 A; " +
			"drolab resume --box gpu1 B",
		"its drolab is an older one": "its drolab is an older one",
		"drolab runs nothing":        "drolab runs nothing",
	} {
		if got := nameBox(text, "gpu1"); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
