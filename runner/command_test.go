package runner_test

import (
	"os/exec"
	"testing"

	"drolab/runner"
)

// TestCommandNamesThePlace: a completed command names folder and box, as a shell takes them.
func TestCommandNamesThePlace(t *testing.T) {
	for _, c := range []struct {
		place runner.Place
		want  string
	}{
		{runner.Place{}, "drolab attach"},
		{runner.Place{RunsDir: "/my runs/it's"}, `drolab attach --runs '/my runs/it'\''s'`},
		{runner.Place{RunsDir: "/r", Box: "gpu1"}, "drolab attach --runs /r --box gpu1"},
	} {
		if got := c.place.Command("drolab attach"); got != c.want {
			t.Errorf("%+v: %s, want %s", c.place, got, c.want)
		}
	}
}

// TestShellWord: a shell reads each quoted word as it was.
func TestShellWord(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	for _, word := range []string{"", "a", "/my runs", "it's", "$HOME", "a;b", "*", "~", "ä"} {
		out, err := exec.Command(sh, "-c", "printf %s "+runner.ShellWord(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q: the shell reads %q, and the error is %v", word, out, err)
		}
	}
}
