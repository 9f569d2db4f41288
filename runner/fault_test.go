package runner

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"drolab/runner/spec"
)

// distant returns an error as another process gets it.
func distant(err error) error { return DistantError(err.Error(), FaultOf(err)) }

// TestFaults: an error keeps its words and its kind on the way to another process.
func TestFaults(t *testing.T) {
	for _, kind := range codes() {
		err := fmt.Errorf("run a %w: b", kind)
		got := distant(err)
		if !errors.Is(got, kind) || got.Error() != err.Error() {
			t.Errorf("%q comes as %q, want the same words and kind", err, got)
		}
	}
	var key *spec.KeyError
	bad := &spec.KeyError{Key: "lr", Value: -1.5, Want: "more"}
	if got := distant(fmt.Errorf("run a: %w", bad)); !errors.As(got, &key) {
		t.Fatalf("a bad setting comes as %v, want a KeyError", got)
	}
	if key.Key != "lr" {
		t.Errorf("a bad setting comes with the key %q, want lr", key.Key)
	}
	if got, want := key.Error(), "lr: -1.5: expected more"; got != want {
		t.Errorf("a bad setting comes as %q, want %q", got, want)
	}
	var disk *DiskError
	full := &DiskError{What: "disk full", Err: syscall.ENOSPC}
	if got := distant(full); !errors.As(got, &disk) {
		t.Fatalf("a full disk comes as %v, want a DiskError", got)
	}
	if disk.What != "disk full" {
		t.Errorf("a full disk comes as %q, want %q", disk.What, "disk full")
	}
	got := distant(errors.New("other"))
	if got.Error() != "other" {
		t.Errorf("another error comes as %q, want %q", got, "other")
	}
	if wrapped := errors.Unwrap(got); wrapped != nil {
		t.Errorf("another error wraps %v, want nothing", wrapped)
	}
}
