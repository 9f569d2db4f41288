//go:build darwin || freebsd || linux

package record

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"drolab/runner"
	"drolab/runner/eventlog"
)

// everyFile maps the name of each file in a folder to its content, and of each link to its target.
func everyFile(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	must(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil || info.IsDir():
		case info.Mode().IsRegular():
			list[name] = string(read(t, path))
		default:
			list[name], err = os.Readlink(path)
		}
		return err
	}))
	return list
}

// leftover reports whether a crash leaves such a thing, which is no damage.
func leftover(what string) bool {
	return slices.Contains([]string{"incomplete", "left by a crash", "lacks its newline",
		"part of a line, 7 bytes", "nobody holds it"}, what)
}

// TestDoctor checks that the doctor finds the damage to a run, names it, mends it and loses
// nothing. Then the run goes on.
func TestDoctor(t *testing.T) {
	for i, c := range []struct {
		file, what string
		harm       func(t *testing.T, dir string)
		stays      bool // only a person can mend it
	}{
		{"", "", func(*testing.T, string) {}, false},
		{eventlog.LogName, "checksum differs", func(t *testing.T, dir string) {
			flip(t, filepath.Join(dir, eventlog.LogName), `"type":"knob"`)
		}, false},
		{eventlog.LogName, "ends with event 4", func(t *testing.T, dir string) {
			b := read(t, dir, eventlog.LogName)
			write(t, b[:strings.Index(string(b), `{"seq":5`)], dir, eventlog.LogName)
		}, false},
		{metaName, "checksum differs", func(t *testing.T, dir string) {
			flip(t, filepath.Join(dir, metaName), `"lr": 0.0`)
		}, true},
		{summaryName, "is missing", func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, summaryName)))
		}, false},
		{summaryName, "checksum differs", func(t *testing.T, dir string) {
			flip(t, filepath.Join(dir, summaryName), `"lambda": `)
		}, false},
		{filepath.Join(checkpointsName, stateName(7)), "checksum", func(t *testing.T, dir string) {
			path := filepath.Join(dir, checkpointsName, tensorsName(7))
			b := read(t, path)
			b[len(b)-1] ^= 1
			write(t, b, path)
		}, false},
		{filepath.Join(checkpointsName, tensorsName(3)), "incomplete",
			func(t *testing.T, dir string) {
				write(t, []byte("x"), dir, checkpointsName, tensorsName(3))
			}, false},
		{labelName, "checksum differs", func(t *testing.T, dir string) {
			r, err := Find(filepath.Dir(dir), filepath.Base(dir))
			must(t, err)
			must(t, r.Relabel(func(l *Label) { l.Note = "good" }))
			flip(t, filepath.Join(dir, labelName), `"note": "g`)
		}, false},
		{".new-" + summaryName, "left by a crash", func(t *testing.T, dir string) {
			write(t, []byte("{"), dir, ".new-"+summaryName)
			long := time.Now().Add(-2 * sweepAge)
			must(t, os.Chtimes(filepath.Join(dir, ".new-"+summaryName), long, long))
		}, false},
		{scratchName, "left by a crash", func(t *testing.T, dir string) {
			must(t, os.Mkdir(filepath.Join(dir, scratchName), 0o700))
		}, false},
		{summaryName, "is a link", func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, summaryName), filepath.Join(dir, "elsewhere")))
			must(t, os.Symlink("elsewhere", filepath.Join(dir, summaryName)))
		}, false},
		{eventlog.LockName, "is a link", func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, eventlog.LockName)))
			must(t, os.Symlink("/etc/passwd", filepath.Join(dir, eventlog.LockName)))
		}, false},
		{eventlog.LogName, "hard link", func(t *testing.T, dir string) {
			must(t, os.Link(filepath.Join(dir, eventlog.LogName), filepath.Join(dir, "copy")))
		}, false},
		{eventlog.LogName, "mode 666", func(t *testing.T, dir string) {
			must(t, os.Chmod(filepath.Join(dir, eventlog.LogName), 0o666))
		}, false},
		{eventlog.LogName, "lacks its newline", func(t *testing.T, dir string) {
			b := read(t, dir, eventlog.LogName)
			write(t, b[:len(b)-1], dir, eventlog.LogName)
		}, false},
		{eventlog.LogName, "lacks its newline", func(t *testing.T, dir string) {
			b := read(t, dir, eventlog.LogName)
			b[len(b)-1] ^= 4
			write(t, b, dir, eventlog.LogName)
		}, false},
		{eventlog.LogName, "part of a line, 7 bytes", func(t *testing.T, dir string) {
			write(t, append(read(t, dir, eventlog.LogName), `{"seq":`...), dir, eventlog.LogName)
		}, false},
		{eventlog.LockName, "nobody holds it", func(t *testing.T, dir string) {
			write(t, []byte("elsewhere"), dir, eventlog.LockName)
		}, false},
	} {
		if testing.Short() && i%2 > 0 {
			continue
		}
		t.Run(c.file+" "+c.what, func(t *testing.T) {
			s := newStore(t)
			knobStopped(t, s)
			r := findRun(s, original)
			c.harm(t, r.Dir)
			before := everyFile(t, s.Dir())
			list, runs, err := Examine(s.Dir(), false)
			must(t, err)
			found := slices.ContainsFunc(list, func(f *Finding) bool {
				return f.Run == r.Meta.ID && f.File == c.file && strings.Contains(f.What, c.what) &&
					f.Remedy != "" && !f.Mended && f.Leftover == leftover(c.what)
			})
			if runs != 1 {
				t.Errorf("%d runs are examined, want 1", runs)
			}
			switch {
			case c.what != "" && !found:
				t.Errorf("no finding that %s %s, of %s", c.file, c.what, findings(list))
			case c.what == "" && len(list) > 0:
				t.Errorf("found %s, want nothing", findings(list))
			}
			if after := everyFile(t, s.Dir()); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("looking has changed a file (-before +after):\n%s",
					cmp.Diff(before, after))
			}
			list, _, err = Examine(s.Dir(), true)
			must(t, err)
			keeps(t, s.Dir(), before)
			again, _, err := Examine(s.Dir(), false)
			must(t, err)
			if (len(again) > 0) != c.stays {
				t.Errorf("mended %s, and then found %s", findings(list), findings(again))
			}
			if err := train(s, findRun(s, original), runner.Request{}); !c.stays && err != nil {
				t.Errorf("it does not go on: %v", err)
			}
		})
	}
}

// keeps checks that every text that a file had before is still in some file.
func keeps(t *testing.T, dir string, before map[string]string) {
	t.Helper()
	after := everyFile(t, dir)
	for name, text := range before {
		kept := filepath.Base(name) == eventlog.LockName // its content is of no use
		for _, now := range after {
			kept = kept || now == text
		}
		if !kept {
			t.Errorf("%s is lost", name)
		}
	}
}

// TestDoctorOfTheFolder checks that the doctor finds what lies beside the runs.
func TestDoctorOfTheFolder(t *testing.T) {
	s := newStore(t)
	for _, name := range []string{".new-half", deletedPrefix + "gone"} {
		must(t, os.Mkdir(filepath.Join(s.Dir(), name), 0o755))
		long := time.Now().Add(-2 * sweepAge)
		must(t, os.Chtimes(filepath.Join(s.Dir(), name), long, long))
	}
	path, unharmed := foreignFile(t)
	must(t, os.Symlink(path, filepath.Join(s.Dir(), ".engine.lock")))
	must(t, os.Symlink(t.TempDir(), filepath.Join(s.Dir(), "link")))
	must(t, os.Chmod(s.Dir(), 0o777))
	list, _, err := Examine(s.Dir(), true)
	must(t, err)
	unharmed("mended")
	mended := 0
	for _, f := range list {
		if f.Mended {
			mended++
		}
	}
	if len(list) != 5 || mended != 4 {
		t.Errorf("%d findings, %d mended, want 5 and 4: %s", len(list), mended, findings(list))
	}
}

// TestDoctorLeavesRunsAloneThatAreRecorded checks that the doctor does not mend runs that are
// recorded.
func TestDoctorLeavesRunsAloneThatAreRecorded(t *testing.T) {
	s := newStore(t)
	r := create(t, s, newMeta(1))
	appendSteps(t, r, 1, 3)
	save(t, r, newState(3))
	write(t, []byte("x"), r.in.Path, checkpointsName, ".new-"+tensorsName(4)) // it is being written
	list, _, err := Examine(s.Dir(), true)
	must(t, err)
	if len(list) > 0 {
		t.Errorf("found %s, want nothing", findings(list))
	}
	flip(t, r.log.Path, `"step":2`)
	list, _, err = Examine(s.Dir(), true)
	must(t, err)
	if len(list) != 1 || list[0].Mended {
		t.Errorf("found %s, want one thing that is not mended", findings(list))
	}
}

// TestSummaryIsMadeAgain checks that a lost summary is made again as it was.
func TestSummaryIsMadeAgain(t *testing.T) {
	s := newStore(t)
	recordDone(t, s)
	want := result(original)(t, s.Dir())
	must(t, os.Remove(filepath.Join(findRun(s, original).Dir, summaryName)))
	_, _, err := Examine(s.Dir(), true)
	must(t, err)
	if got := result(original)(t, s.Dir()); got != want {
		t.Errorf("the run with the summary made again differs: %s", difference(got, want))
	}
}

// TestFilesOfNFS: files that an NFS client leaves while somebody reads a removed file are no
// damage, and nothing is done to them.
func TestFilesOfNFS(t *testing.T) {
	s := newStore(t)
	recordDone(t, s)
	const name = ".nfs00000000000a1b2c00000001"
	dir := findRun(s, original).Dir
	paths := []string{filepath.Join(s.Dir(), name), filepath.Join(dir, name),
		filepath.Join(dir, checkpointsName, name)}
	for _, path := range paths {
		must(t, os.WriteFile(path, []byte("x"), 0o600))
	}
	list, runs, err := Examine(s.Dir(), true)
	must(t, err)
	if len(list) > 0 || runs != 1 {
		t.Errorf("found %s in %d runs, want nothing in one", findings(list), runs)
	}
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if all, err := List(s.Dir()); err != nil || len(all) != 1 || all[0].Status() != runner.Done {
		t.Errorf("the list is %v, %v, want one run that is done", all, err)
	}
}
