package cli

import (
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the tests run this very program under the name drolab. Each process has a heap of a
// few megabytes, which the garbage collector would otherwise scan again and again.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	testscript.Main(m, map[string]func(){"drolab": func() {
		os.Exit(Process(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}})
}

func TestRunReturnsTheExitStatus(t *testing.T) {
	var out, errs strings.Builder
	code := Process(context.Background(), []string{"version"}, strings.NewReader(""), &out, &errs)
	if code != 0 || !strings.HasPrefix(out.String(), "drolab ") {
		t.Errorf("version: exit %d, %q, %q", code, out.String(), errs.String())
	}
	code = Process(context.Background(), []string{"fly"}, strings.NewReader(""), &out, &errs)
	if code != 1 || !strings.Contains(errs.String(), "fly") {
		t.Errorf("an unknown command: exit %d, %q", code, errs.String())
	}
}

// TestNoHome: without a home folder and without the folders that replace it, nothing is kept in the
// folder that the program is started from.
func TestNoHome(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("DROLAB_RUNS", "")
	for _, c := range []struct {
		home, state, cache string
		known              bool
	}{{}, {home: "me"}, {state: "/state"}, {state: "state", cache: "/cache"},
		{home: "/me", known: true},
		{state: "/state", cache: "/cache", known: true}} {
		for name, value := range map[string]string{"HOME": c.home, "USERPROFILE": c.home,
			"home": c.home, "XDG_STATE_HOME": c.state, "XDG_CACHE_HOME": c.cache} {
			t.Setenv(name, value)
		}
		var out, errs strings.Builder
		code := Process(t.Context(), []string{"version"}, strings.NewReader(""), &out, &errs)
		says := strings.HasPrefix(errs.String(), "drolab: the home folder is not known: set HOME, ")
		if known := code == 0; known != c.known || says == c.known {
			t.Errorf("%+v: exit %d, %q", c, code, errs.String())
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("%d files lie in the folder, %v, want none", len(left), err)
	}
}

func TestFolders(t *testing.T) {
	runs := func() string {
		return filepath.ToSlash(folder("DROLAB_RUNS", "XDG_STATE_HOME", ".local/state", "runs"))
	}
	t.Setenv("DROLAB_RUNS", "")
	t.Setenv("XDG_STATE_HOME", "/state")
	if got := runs(); got != "/state/drolab/runs" {
		t.Errorf("with XDG_STATE_HOME: %s", got)
	}
	t.Setenv("XDG_STATE_HOME", "relative")
	t.Setenv("HOME", "/home/me")
	t.Setenv("USERPROFILE", "/home/me")
	if got := runs(); got != "/home/me/.local/state/drolab/runs" {
		t.Errorf("with a relative XDG_STATE_HOME: %s", got)
	}
	t.Setenv("DROLAB_RUNS", "mine")
	if got := runs(); got != "mine" {
		t.Errorf("with DROLAB_RUNS: %s", got)
	}
}
