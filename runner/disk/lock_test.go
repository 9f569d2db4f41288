//go:build darwin || freebsd || linux

package disk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"drolab/runner"
)

func TestLockFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l, err := Acquire(path)
	must(t, err)
	for _, text := range []string{"a longer text", "short"} {
		_, err := l.Write([]byte(text))
		must(t, err)
		if got := string(read(t, path)); got != text {
			t.Errorf("the file says %q, want %q", got, text)
		}
	}
	if !l.InPlace(path) {
		t.Error("the lock is not in place")
	}
	if !Held(path) {
		t.Error("the lock is not held")
	}
	must(t, os.Remove(path))
	if l.InPlace(path) {
		t.Error("a lock whose file is gone is in place")
	}
	must(t, os.WriteFile(path, nil, 0o600))
	if l.InPlace(path) {
		t.Error("a lock is in place of another file")
	}
	must(t, l.Release())
}

func TestErrorsThatMayPass(t *testing.T) {
	for err, want := range map[error]string{
		syscall.ENOSPC: "disk full",
		syscall.EDQUOT: "disk quota used up",
		syscall.EIO:    "disk fails",
	} {
		var disk *runner.DiskError
		got := Explain(&os.PathError{Op: "write", Path: "x", Err: err}, t.TempDir())
		if !errors.As(got, &disk) {
			t.Errorf("%v is explained by a %T, want a %T", err, got, disk)
		}
		if !strings.Contains(got.Error(), want) {
			t.Errorf("%v is explained as %v, want %q in it", err, got, want)
		}
		if !errors.Is(got, err) {
			t.Errorf("%v is explained as %v, which does not wrap it", err, got)
		}
	}
	var disk *runner.DiskError
	for _, err := range []error{nil, os.ErrPermission, os.ErrNotExist} {
		if errors.As(Explain(err, "x"), &disk) {
			t.Errorf("%v is taken for one that may pass", err)
		}
	}
}
