package measure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"drolab/runner/data"
	"drolab/runner/data/source"
)

// readers are the files that read tables and arrays of the user's own, and check them.
func readers(t *testing.T) (list []string) {
	for _, pattern := range []string{"../data/table/*.go", "../data/array/*.go",
		"../data/source/registry.go", "../data/*.go", "datachecks.go", "columns.go",
		"leaks.go", "splitchecks.go", "twins.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		list = append(list, files...)
	}
	return slices.DeleteFunc(list, func(name string) bool {
		// The three files of runner/data advise on settings and downloads, not on what is read.
		other := []string{"data.go", "options.go", "download.go"}
		return strings.HasSuffix(name, "_test.go") || slices.Contains(other, filepath.Base(name))
	})
}

// advises finds a clause that says what to do.
var advises = regexp.MustCompile(`(^|: |, or |, | or )(add|call|change|check|convert|drop|give|join|` +
	`leave|lower|make|mend|merge|name|raise|rescale|save|take|unpack|use|write) `)

// adviceOf returns the texts of the readers that advise: by their place, a pattern of the lines
// that are made of each.
func adviceOf(t *testing.T) map[string]*regexp.Regexp {
	found := map[string]*regexp.Regexp{}
	for _, name := range readers(t) {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			text, isText := textOf(e)
			if isText && advises.MatchString(text) {
				place := files.Position(e.Pos())
				found[filepath.Base(name)+":"+strconv.Itoa(place.Line)] = patternOf(text)
			}
			return !isText
		})
	}
	return found
}

// textOf returns the text of a literal or of a sum with literals, in which %v stands for what is no
// literal.
func textOf(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, e.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		left, ok1 := textOf(e.X)
		right, ok2 := textOf(e.Y)
		if e.Op != token.ADD || !ok1 && !ok2 {
			return "", false
		}
		if !ok1 {
			left = "%v"
		}
		if !ok2 {
			right = "%v"
		}
		return left + right, true
	}
	return "", false
}

var verb = regexp.MustCompile(`%[-+.0-9]*[a-z]`)

// patternOf returns a pattern of the lines that a format makes.
func patternOf(format string) *regexp.Regexp {
	parts := verb.Split(strings.ReplaceAll(format, "%%", "%"), -1)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile(strings.Join(parts, "(?s:.*)"))
}

// advice is a line that advises, with the input that provokes it. In names and files, DIR stands
// for the folder of the files.
type advice struct {
	says   string // a part of the line, with the advice
	word   string // the name of the dataset
	files  map[string]string
	train  string // the dataset of a network that is used on word
	raw    bool   // word is a table of predictions
	direct func() error
	// next is by option of the advice: a part of the line that comes once it is followed. An option
	// that is not listed leads to success.
	next   map[string]string
	words  []string          // further names of the dataset, as the advice says; they succeed
	mended map[string]string // files as the advice says; they make the name succeed
}

// option finds the options that a line names with a value. Those of Python's functions have none.
var option = regexp.MustCompile(`(?:^|[ ,])([a-z_]+)=([^ ;()]+)(?: |$)`)

// with returns a name with an option, in place of one of the same key.
func with(word, key, value string) string {
	path, query, _ := strings.Cut(word, "?")
	list := slices.DeleteFunc(strings.Split(query, "&"), func(field string) bool {
		return field == "" || strings.HasPrefix(field, key+"=")
	})
	return path + "?" + strings.Join(append(list, key+"="+value), "&")
}

// lines opens a dataset and returns its error, or else its notes and warnings.
func (a *advice) lines(t *testing.T, dir, word string) (said []string, failed bool) {
	t.Helper()
	if a.direct != nil {
		return []string{a.direct().Error()}, true
	}
	var o data.Options
	place := strings.NewReplacer("DIR", dir)
	if a.train != "" {
		d, err := source.Open(place.Replace(a.train), o)
		if err != nil {
			t.Fatalf("%s: %v", a.train, err)
		}
		e := d.Encoder
		d.Close()
		o.Encoder = &e
	}
	var d *data.Dataset
	var err error
	if word = place.Replace(word); a.raw {
		d, err = source.OpenRaw(t.Context(), word)
	} else {
		d, err = source.Open(word, o)
	}
	if err != nil {
		return []string{err.Error()}, true
	}
	defer d.Close()
	if said = slices.Clone(d.Notes); !a.raw {
		for _, w := range DataWarnings(d, 20) {
			said = append(said, w.Text)
		}
	}
	return said, false
}

// write puts files into a folder.
func (a *advice) write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// follow opens a name that the advice gives. The line must be gone, and there must be success or
// the line that is expected.
func (a *advice) follow(t *testing.T, dir, word, next string) {
	t.Helper()
	said, failed := a.lines(t, dir, word)
	text := strings.Join(said, "\n")
	switch {
	case next != "":
		if !strings.Contains(text, next) {
			t.Errorf("%q, then %s: %s\nwant %q", a.says, word, text, next)
		}
	case failed:
		t.Errorf("%q, then %s: %s\nwant success", a.says, word, text)
	}
	if strings.Contains(text, a.says) {
		t.Errorf("%q, then %s: the line comes again: %s", a.says, word, text)
	}
}

// TestAdvice follows each advice of the readers once: it ends in success, or in another line that
// is expected. Every text of the readers that advises is provoked.
func TestAdvice(t *testing.T) {
	var all []string
	for _, a := range slices.Concat(adviceOfTables(), adviceOfArrays(), adviceOfFiles()) {
		dir := t.TempDir()
		a.write(t, dir, a.files)
		said, _ := a.lines(t, dir, a.word)
		all = append(all, said...)
		a.says = strings.ReplaceAll(a.says, "DIR", dir)
		at := slices.IndexFunc(said, func(s string) bool { return strings.Contains(s, a.says) })
		if at < 0 {
			t.Errorf("%s: %q, want %q", a.word, said, a.says)
			continue
		}
		line := said[at]
		followed := len(a.words) + len(a.mended)
		behind := line[strings.Index(line, a.says):]
		for _, m := range option.FindAllStringSubmatch(behind, -1) {
			key, value := m[1], strings.TrimRight(m[2], ",:")
			if value == "PATH" || strings.Contains(a.word, key+"="+value) || key == "min_group" ||
				a.mended != nil && strings.Contains(a.says, key+"="+value) && a.next == nil {
				continue
			}
			a.follow(t, dir, with(a.word, key, value), a.next[key+"="+value])
			followed++
		}
		for _, word := range a.words {
			a.follow(t, dir, word, "")
		}
		if a.mended != nil {
			a.write(t, dir, a.mended)
			a.follow(t, dir, a.word, "")
		}
		if followed == 0 && a.direct == nil {
			t.Errorf("%s: nobody follows %q", a.word, line)
		}
	}
	for place, pattern := range adviceOf(t) {
		if !slices.ContainsFunc(all, pattern.MatchString) && !elsewhere[pattern.String()] {
			t.Errorf("%s: no case has this line: %s", place, pattern)
		}
	}
}
