package tuitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"drolab/runner/record/recordtest"
	"drolab/runner/record/recordtest/eventtest"
)

// Poison is a text that would control a terminal that received it unchanged: it sets the clipboard,
// clears the screen by two kinds of sequence, reverses the direction of writing, hides and blinks.
const Poison = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\u009b2J\x7f\u202e\u2066\u200b\ufeff" + styleEscape

// styleEscape is a style sequence that the interface never writes: it makes text blink and strikes
// it out. If it is on the screen, a text has brought it.
const styleEscape = "\x1b[5;9m"

// Poisons returns texts that together contain every control. Each is short enough to be shown whole
// where a name has a few cells.
func Poisons() (list []string) {
	for _, of := range [][2]rune{{0, 0x1f}, {0x7f, 0xa0},
		{0x200b, 0x200f},   // joiners and marks of direction
		{0x2028, 0x202e},   // breaks of lines and paragraphs, overrides
		{0x2060, 0x206f}} { // isolates
		for c := of[0]; c <= of[1]; c++ {
			list = append(list, string(c))
		}
	}
	for c := 0x7f; c <= 0xa0; c++ { // as bytes alone, too
		list = append(list, string([]byte{byte(c)}))
	}
	list = append(list, "\u00ad", "\u034f", "\u061c", "\u115f", "\u180e", "\u3164", "\ue000",
		"\ufeff", "\ufff9", "\ufffe", "\U000e0041", "\U000e0100", "\U000f0000",
		"❤\ufe0f", "👩\u200d💻", "👍🏽", "🇩🇪", "e\u0301",
		"\xff", "\xc2", "\xe2\x80", "\xf0\x9f\x92", "\xed\xa0\x80", "\xc0\x9b", styleEscape,
		"\x1b[1m", "\x1b[2J", "\x1b]0;t\x07", "\x1b]8;;u\x1b\\",
		"\x1b]52;c;Zg\x07", "\x1bP1q\x1b\\", "\x1b_G\x1b\\", "\x1b^p\x1b\\", "\x1bXs\x1b\\",
		"\x1bc", "\x1b(0", "\x1b[?1049l", "\x9b2J", "\x9d0;t\x9c", "\u009b5m")
	return list
}

// Steered returns, quoted, the part of s around its first byte or character that is not printable
// and no line break or tab, or "" if there is none. The sequences of styles count as well, so
// callers remove them first.
func Steered(s string) string {
	for i, size := 0, 0; i < len(s); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(s[i:])
		invisible := !unicode.IsGraphic(r) ||
			unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
		if r == utf8.RuneError && size == 1 || invisible && r != '\n' && r != '\t' {
			return fmt.Sprintf("%q", s[max(0, i-20):min(len(s), i+20)])
		}
	}
	return ""
}

// PoisonStrings puts a text before every string that is reachable from the pointer v, in place. It
// spares the strings that identify a run and those that decide what is drawn of it.
func PoisonStrings(v any, text string) { poisonValue(reflect.ValueOf(v), text) }

func poisonValue(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			poisonValue(v.Elem(), text)
		}
	case reflect.String:
		if v.CanSet() && v.Type() == reflect.TypeFor[string]() {
			v.SetString(text + v.String())
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			poisonValue(v.Index(i), text)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if elem := v.MapIndex(key); elem.Kind() == reflect.String {
				v.SetMapIndex(key, reflect.ValueOf(text+elem.String()))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			decides := slices.Contains([]string{"ID", "Status", "Select", "Values", "ByGroup",
				"Overrides", "Dir"}, v.Type().Field(i).Name)
			if v.Type().Field(i).IsExported() && !decides {
				poisonValue(v.Field(i), text)
			}
		}
	}
}

// PoisonEach appends Poison to one string after another in the JSON files below dir, and calls
// visit each time. A .jsonl file has one object per line. There, a string is changed in the first
// object of its type that has it, and in the last object of the file. Poisoned files are sealed, as
// somebody would who sends them. In the end, the files are as before.
func PoisonEach(t testing.TB, dir string, visit func(where string)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		ending := filepath.Ext(path)
		if err != nil || d.IsDir() || ending != ".json" && ending != ".jsonl" {
			return err
		}
		was := t.TempDir()
		if err := os.CopyFS(was, os.DirFS(dir)); err != nil {
			return err
		}
		poisonFile(t, path, ending == ".jsonl", func(where string) {
			recordtest.Reseal(t, dir)
			visit(where)
			eventtest.Must(t, errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(was))))
		})
		return os.RemoveAll(was)
	})
	eventtest.Must(t, err)
}

func poisonFile(t testing.TB, path string, lines bool, visit func(where string)) {
	t.Helper()
	text, err := os.ReadFile(path)
	eventtest.Must(t, err)
	objects := [][]byte{text}
	if lines {
		objects = bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	}
	seen := map[string]bool{} // keys: the type of a string's object and its place in it
	for i := range objects {
		d := json.NewDecoder(bytes.NewReader(objects[i]))
		d.UseNumber()
		var object any
		eventtest.Must(t, d.Decode(&object))
		kind := ""
		if fields, ok := object.(map[string]any); ok {
			kind = fmt.Sprint(fields["type"])
		}
		poisonStrings(object, func(any) {}, "", func(where string) {
			if seen[kind+where] && i < len(objects)-1 {
				return
			}
			seen[kind+where] = true
			changed, err := json.Marshal(object)
			eventtest.Must(t, err)
			all := slices.Clone(objects)
			all[i] = changed
			changed = append(bytes.Join(all, []byte("\n")), '\n')
			eventtest.Must(t, os.WriteFile(path, changed, 0o600))
			visit(fmt.Sprintf("%s, object %d%s", filepath.Base(path), i, where))
		})
	}
	eventtest.Must(t, os.WriteFile(path, text, 0o600))
}

// poisonStrings changes one string below v after another and calls changed each time. It restores
// the string when changed returns.
func poisonStrings(v any, set func(any), where string, changed func(where string)) {
	switch v := v.(type) {
	case string:
		set(v + Poison)
		defer set(v)
		changed(where)
	case []any:
		for i := range v {
			poisonStrings(v[i], func(x any) { v[i] = x }, fmt.Sprintf("%s[%d]", where, i), changed)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			poisonStrings(v[key], func(x any) { v[key] = x }, where+"."+key, changed)
		}
	}
}

// Hostile is text that would harm a terminal that showed it.
const Hostile = "\x1b[2J\x1b]0;title\x07\x9b31m\u202eevil\u0000\r\n\t\u200b世界́" + "\xff\xfe"
