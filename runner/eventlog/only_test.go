package eventlog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/runner"
	"drolab/runner/disk"
)

// A reader that asks for evaluations alone gets exactly these, through megabytes of steps.
func TestTailOnly(t *testing.T) {
	var b strings.Builder
	for i := range 20000 {
		kind := "step"
		if i%5000 == 4999 {
			kind = "eval"
		}
		b.Write(disk.SealLine(fmt.Appendf(nil, `{"seq":%d,"type":%q,`+
			`"time":"2026-01-01T00:00:00Z","step":%d,"epoch":1%100s}`, i+1, kind, i, "")))
		b.WriteByte('\n')
	}
	tail := &Tail{Path: filepath.Join(t.TempDir(), LogName)}
	if err := os.WriteFile(tail.Path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	tail.Only("eval")
	var steps []int64
	for {
		events, err := tail.Read()
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			if _, is := e.(*runner.EvalEvent); !is {
				t.Fatalf("%T was not asked for", e)
			}
			steps = append(steps, e.Header().Step)
		}
	}
	if want := []int64{4999, 9999, 14999, 19999}; !slices.Equal(steps, want) {
		t.Errorf("evaluations at the steps %v, want %v", steps, want)
	}
	if tail.Share() != 1 {
		t.Errorf("a share of %g of the log is read, want 1", tail.Share())
	}
}
