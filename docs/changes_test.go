package docs

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "gather the files of docs/changes into docs/changes.md")

// change is a change that users notice. Its file in docs/changes is named after its day and its
// subject, as in 2026-11-29-debug-log.md. The first line is its kind and its title; after a blank
// line, the text says what was, and what is now.
type change struct {
	day               time.Time
	kind, title, text string
}

// changeKinds are the kinds of changes, in their order on the page.
var changeKinds = []string{"New", "Change", "Fix"}

var (
	changeName = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})-[a-z0-9-]+\.md$`)
	changeHead = regexp.MustCompile(`^(New|Change|Fix): ([A-Z\x60].*[^.])$`)
)

// TestChanges: docs/changes.md is gathered from the files of docs/changes.
func TestChanges(t *testing.T) {
	files, err := filepath.Glob("changes/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("docs/changes: %d files, %v", len(files), err)
	}
	var list []change
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c, err := parseChange(filepath.Base(file), string(text))
		if err != nil {
			t.Errorf("docs/changes/%v", err)
		}
		list = append(list, c)
	}
	want := gather(list)
	if *update {
		if err := os.WriteFile("changes.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("changes.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/changes.md differs from docs/changes (-want +got); write it with "+
			"go test ./docs -run TestChanges -update:\n%s", diff)
	}
}

// parseChange reads a file of docs/changes. Its error begins with the name of the file.
func parseChange(name, text string) (change, error) {
	day := changeName.FindStringSubmatch(name)
	if day == nil {
		return change{}, fmt.Errorf("%s: want a name such as 2026-11-29-debug-log.md", name)
	}
	var c change
	var err error
	if c.day, err = time.Parse(time.DateOnly, day[1]); err != nil {
		return change{}, fmt.Errorf("%s: %w", name, err)
	}
	head, rest, _ := strings.Cut(text, "\n")
	parts := changeHead.FindStringSubmatch(head)
	if parts == nil {
		return change{}, fmt.Errorf("%s: first line %q, want New, Change or Fix, a colon, and a "+
			"title without a full stop", name, head)
	}
	c.kind, c.title, c.text = parts[1], parts[2], strings.TrimSpace(rest)
	if c.text == "" || !strings.HasPrefix(rest, "\n") {
		return change{}, fmt.Errorf("%s: want a blank line and a text after the title", name)
	}
	return c, nil
}

// gather returns the page of the changes: the newest day first, and in a day by kind.
func gather(list []change) string {
	slices.SortStableFunc(list, func(a, b change) int {
		if order := b.day.Compare(a.day); order != 0 {
			return order
		}
		return slices.Index(changeKinds, a.kind) - slices.Index(changeKinds, b.kind)
	})
	var page strings.Builder
	page.WriteString("# Changes\n\nWhat users notice, the newest day first. This page is made " +
		"from the files of `docs/changes`.\n")
	for i, c := range list {
		if i == 0 || !c.day.Equal(list[i-1].day) {
			fmt.Fprintf(&page, "\n## %s\n", c.day.Format("2 January 2006"))
		}
		fmt.Fprintf(&page, "\n### %s: %s\n\n%s\n", c.kind, c.title, c.text)
	}
	return page.String()
}

// TestChangesAreRefused checks that a file of the wrong form is refused, with its name.
func TestChangesAreRefused(t *testing.T) {
	good := "Fix: A title\n\nA text.\n"
	if _, err := parseChange("2026-11-29-a.md", good); err != nil {
		t.Fatalf("parseChange of a good file: %v", err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"a.md", good, "want a name such as"},
		{"2026-13-29-a.md", good, "month out of range"},
		{"2026-11-29-a.md", "Repair: A title\n\nA text.\n", "want New, Change or Fix"},
		{"2026-11-29-a.md", "Fix: A title.\n\nA text.\n", "without a full stop"},
		{"2026-11-29-a.md", "Fix: A title\nA text.\n", "want a blank line"},
		{"2026-11-29-a.md", "Fix: A title\n\n", "want a blank line and a text"},
	} {
		_, err := parseChange(c.name, c.text)
		if err == nil || !strings.HasPrefix(err.Error(), c.name+": ") ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("parseChange(%q, %q) = %v, want an error with %q", c.name, c.text, err, c.want)
		}
	}
}
