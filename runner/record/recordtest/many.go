package recordtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"drolab/runner/record"
	"drolab/runner/record/recordtest/eventtest"
)

// Many fills the folder dir with n runs that are meta from the run like, which has ended, to
// measure the cost of many runs. Each ten of them share a learning rate and differ in the seed.
// Each log has at least the given number of lines, and each run has the files of one checkpoint.
func Many(t testing.TB, dir string, like *record.Run, n, lines int) {
	t.Helper()
	meta, summary := fieldsOf(t, like.Dir, "run.json"), fieldsOf(t, like.Dir, "summary.json")
	log := longer(t, filepath.Join(like.Dir, "events.jsonl"), lines)
	for i := range n {
		at := like.Meta.Created.Add(time.Duration(i) * time.Minute)
		id := fmt.Sprintf("many-s%d-%s-%06d", i%10, at.UTC().Format("20060102-150405"), i)
		settings := map[string]any{}
		eventtest.Must(t, json.Unmarshal(meta["spec"], &settings))
		settings["seed"], settings["lr"] = i%10, float64(1+i/10)/float64(n)
		meta["id"], meta["created"] = asJSON(t, id), asJSON(t, at)
		meta["spec"] = asJSON(t, settings)
		summary["id"], summary["seed"] = meta["id"], asJSON(t, i%10)
		summary["test_accuracy"] = asJSON(t, float64(i*7919%n)/float64(n))
		in := filepath.Join(dir, id)
		eventtest.Must(t, os.MkdirAll(filepath.Join(in, "checkpoints"), 0o700))
		for name, text := range map[string][]byte{"run.json": asJSON(t, meta), "lock": nil,
			"summary.json": asJSON(t, summary), "events.jsonl": log,
			"checkpoints/step-0000000001.json": asJSON(t,
				map[string]any{"seal": summary["seal"]}),
			"checkpoints/step-0000000001.safetensors": make([]byte, 1000)} {
			eventtest.Must(t, os.WriteFile(filepath.Join(in, name), text, 0o600))
		}
		Reseal(t, in)
	}
}

// fieldsOf reads the fields of a file, its seal among them.
func fieldsOf(t testing.TB, dir, name string) (fields map[string]json.RawMessage) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	eventtest.Must(t, err)
	eventtest.Must(t, json.Unmarshal(b, &fields))
	return fields
}

// longer reads a log and repeats one of its steps until the log has the given number of lines.
func longer(t testing.TB, path string, lines int) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	eventtest.Must(t, err)
	list := strings.SplitAfter(string(b), "\n")
	for i, line := range list {
		if strings.Contains(line, `"type":"step"`) {
			more := strings.Repeat(line, max(0, lines-len(list)))
			return []byte(strings.Join(list[:i], "") + more + strings.Join(list[i:], ""))
		}
	}
	t.Fatal("the log has no step")
	return nil
}

func asJSON(t testing.TB, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	eventtest.Must(t, err)
	return b
}
