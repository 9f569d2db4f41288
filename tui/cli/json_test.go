package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"drolab/tui/cli/console"
)

// TestJSONStays: the keys and values that commands print stay those of testdata/json, so that other
// people's programs which read them continue to work.
func TestJSONStays(t *testing.T) {
	var losses, groups strings.Builder
	for i := range 40 {
		fmt.Fprintln(&losses, i+1)
		fmt.Fprintf(&groups, "g%d\n", (i+1)%3)
	}
	path := filepath.Join(t.TempDir(), "groups")
	check(t, os.WriteFile(path, []byte(groups.String()), 0o600))
	for name, args := range map[string]string{
		"plan": "plan --epsilon 0.1 --rho 0.5 --k 2 --bound 10 --lipschitz 1 " +
			"--smoothness 1 --gap 2",
		"risk": "risk - --uncertainty chi2 --rho .5 --curve --groups " + path,
		"mean": "risk - --uncertainty cvar --mu 1",
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := Main(t.Context(), console.Env{Stdin: strings.NewReader(losses.String()),
				Stdout: &out,
				Stderr: &errs, RunsDir: t.TempDir()}, append(strings.Fields(args), "--json"))
			text, err := os.ReadFile(filepath.Join("testdata", "json", name+".json"))
			check(t, err)
			var got, want any
			check(t, json.Unmarshal(text, &want))
			if err := json.Unmarshal(out.Bytes(), &got); code != 0 || err != nil {
				t.Fatalf("exit %d, %v, %s", code, err, errs.String())
			}
			differ(t, name, got, want)
		})
	}
}

// differ fails where two values that were read from JSON differ. Numbers may differ in their last
// digits, as between machines.
func differ(t *testing.T, at string, got, want any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		have, _ := got.(map[string]any)
		for key := range have {
			if _, ok := want[key]; !ok {
				t.Errorf("%s: %q is new", at, key)
			}
		}
		for key, value := range want {
			differ(t, at+"."+key, have[key], value)
		}
	case []any:
		have, _ := got.([]any)
		if len(have) != len(want) {
			t.Fatalf("%s has %d elements, want %d", at, len(have), len(want))
		}
		for i := range want {
			differ(t, fmt.Sprintf("%s[%d]", at, i), have[i], want[i])
		}
	case float64:
		x, ok := got.(float64)
		if !ok || math.Abs(x-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s is %v, want %v", at, got, want)
		}
	default:
		if got != want {
			t.Errorf("%s is %v, want %v", at, got, want)
		}
	}
}
