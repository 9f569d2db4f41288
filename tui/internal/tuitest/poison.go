package tuitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Poison is text that steers a terminal which gets it as it is: it sets the
// clipboard, clears the screen by two kinds of sequence, turns the direction
// of writing and hides.
const Poison = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\u009b2J\x7f\u202e\u2066\u200b\ufeff"

// Steered returns what s has of Poison's characters, quoted; "" for nothing.
// What begins a style is left to unstyled.
func Steered(s string) string {
	at := strings.IndexAny(s, "\x1b\x07\u009b\x7f\u202e\u2066\u200b\ufeff")
	if at < 0 {
		return ""
	}
	return fmt.Sprintf("%q", s[max(0, at-20):min(len(s), at+20)])
}

// PoisonEach puts Poison at the end of one string after another in the JSON
// files below dir, one object a line in those named .jsonl, and calls visit
// each time. The files are as before in the end.
func PoisonEach(t testing.TB, dir string, visit func(where string)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		ending := filepath.Ext(path)
		if err != nil || d.IsDir() || ending != ".json" && ending != ".jsonl" {
			return err
		}
		return poisonFile(path, ending == ".jsonl", visit)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func poisonFile(path string, lines bool, visit func(string)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	objects := [][]byte{text}
	if lines {
		objects = bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	}
	for i := range objects {
		d := json.NewDecoder(bytes.NewReader(objects[i]))
		d.UseNumber()
		var object any
		if err := d.Decode(&object); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		write := func() error {
			changed, err := json.Marshal(object)
			if err != nil {
				return err
			}
			all := slices.Clone(objects)
			all[i] = changed
			return os.WriteFile(path, append(bytes.Join(all, []byte("\n")), '\n'), 0o600)
		}
		where := fmt.Sprintf("%s, object %d", filepath.Base(path), i)
		err := poisonStrings(object, func(any) {}, where, func(where string) error {
			if err := write(); err != nil {
				return err
			}
			visit(where)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return os.WriteFile(path, text, 0o600)
}

// poisonStrings changes one string below v after another, each put back when
// changed returns.
func poisonStrings(v any, set func(any), where string, changed func(where string) error) error {
	switch v := v.(type) {
	case string:
		set(v + Poison)
		defer set(v)
		return changed(where)
	case []any:
		for i := range v {
			set := func(x any) { v[i] = x }
			if err := poisonStrings(v[i], set, fmt.Sprintf("%s[%d]", where, i), changed); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			set := func(x any) { v[key] = x }
			if err := poisonStrings(v[key], set, where+"."+key, changed); err != nil {
				return err
			}
		}
	}
	return nil
}
