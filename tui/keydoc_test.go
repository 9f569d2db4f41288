package tui

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"drolab/tui/internal/tuitest"
	"drolab/tui/kit"
	"drolab/tui/lab"
)

// The key tables of docs/interface.md are between these two lines.
const (
	keysPage  = "../docs/interface.md"
	keysBegin = "<!-- keys: begin, made by go test ./tui -run TestKeysOfDocs -update -->\n"
	keysEnd   = "<!-- keys: end -->\n"
)

// TestKeysOfDocs compares the key tables of docs/interface.md with the rows by which the interface
// dispatches keys. With -update, it writes the tables.
func TestKeysOfDocs(t *testing.T) {
	m := newModel(lab.Config{RunsDir: t.TempDir(), DataDir: t.TempDir(), RunsGoOn: true},
		lab.Folder(t.TempDir()), tuitest.Presets)
	var b strings.Builder
	section(&b, "On every page", m.commonKeys())
	for _, p := range m.pages {
		section(&b, p.Title(), p.Keys())
	}
	page, err := os.ReadFile(keysPage)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	before, rest, begins := strings.Cut(text, keysBegin)
	_, after, ends := strings.Cut(rest, keysEnd)
	if !begins || !ends {
		t.Fatalf("%s: want the lines %s%s", keysPage, keysBegin, keysEnd)
	}
	want := before + keysBegin + b.String() + "\n" + keysEnd + after
	switch {
	case want == text:
	case tuitest.Updates():
		if err := os.WriteFile(keysPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s has other key tables: go test ./tui -run TestKeysOfDocs -update", keysPage)
	}
}

// section writes a table of the rows that the help shows.
func section(b *strings.Builder, title string, rows []kit.Key) {
	fmt.Fprintf(b, "\n### %s\n\n| key | what it does | not in |\n|---|---|---|\n", title)
	for i := range rows {
		if row := &rows[i]; row.Help != "" {
			names := strings.Fields(row.Names(false))
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", strings.Join(names, "` `"), row.Help, notIn(row))
		}
	}
}

// notIn names the views that refuse the keys of a row.
func notIn(row *kit.Key) string {
	switch {
	case row.Alters:
		return "read-only, shared"
	case row.Local:
		return "shared"
	}
	return ""
}
