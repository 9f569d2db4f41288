package runner_test

import (
	"os/exec"
	"testing"

	"drolab/runner"
)

// TestCommandNamesThePlace: a completed command names folder and box, as a shell takes them.
func TestCommandNamesThePlace(t *testing.T) {
	far := runner.Place{RunsDir: "/r", Box: "gpu1"}
	for _, c := range []struct {
		place      runner.Place
		line, want string
	}{
		{runner.Place{}, "drolab attach", "drolab attach"},
		{runner.Place{RunsDir: "/my runs/it's"}, "drolab attach",
			`drolab attach --runs '/my runs/it'\''s'`},
		{runner.Place{Box: "gpu1"}, "drolab attach", "drolab attach --box gpu1"},
		{far, "drolab stop RUN", "drolab stop RUN --runs /r --box gpu1"},
		// Of several machines, --runs is the folder of this one.
		{far, "drolab attach", "on box gpu1: drolab attach --runs /r"},
		{far, "drolab report a b", "on box gpu1: drolab report a b --runs /r"},
	} {
		if got := c.place.Command(c.line); got != c.want {
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
