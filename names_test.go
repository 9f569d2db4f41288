package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"unicode"
)

// otherFiles lists the names of files that comments and pages may use without a folder of this
// module, each with what it stands for.
var otherFiles = map[string]string{
	"doc.go":                    "the one of any package",
	"go/build/deps_test.go":     "a file of Go",
	"csi.go":                    "a file of vt10x, the emulator of the tests of tui",
	"data/dro_dataset.py":       "a file of the code of a paper that dro/math.md cites",
	"losses/__init__.py":        "a file of the code of a paper that dro/math.md cites",
	"utils/supervised_utils.py": "a file of the code of a paper that dro/math.md cites",
}

// datedPages keep the names of the day on which they were written.
var datedPages = []string{"docs/registration.md"}

var (
	fileName   = regexp.MustCompile(`[\w./*-]*[\w*]\.(?:go|md|py|sh|s|txtar|ya?ml)\b`)
	pathName   = regexp.MustCompile(`[\w./-]*[\w/]`)
	webAddress = regexp.MustCompile(`\w+://\S+`)
	testName   = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
	version    = regexp.MustCompile(`/v\d+$`)

	// A link of go/doc/comment. One capital letter is the size of an axis, as in [C][H][W].
	docLink = regexp.MustCompile(`(?:^|[^\w)\]])\[\*?((?:\w+\.)*[A-Z]\w+)\]`)
	// Both say in which file a declaration is. On a page, names are in backquotes. In a comment, a
	// capitalised word is a name if the package declares it.
	quotedPlace = regexp.MustCompile("`([\\w.]+)`\\s+\\(`([\\w./-]+\\.go)`\\)")
	plainPlace  = regexp.MustCompile(`\b([A-Z]\w*[a-z][\w.]*)\]?\s+\(([\w./-]+\.go)\)`)
	quotedName  = regexp.MustCompile("`([a-z]\\w*)\\.([A-Z][\\w.]*)`")

	qualifiedName = regexp.MustCompile(`(?:^|[^\w.])([a-z]\w*)\.([A-Z]\w*(?:\.\w+)?)`)
)

// tree is what comments and pages may name, and the texts in which they do.
type tree struct {
	paths    map[string][]string          // files and folders, by each end of their paths
	declared map[string]map[string]bool   // by file and by folder: Name, Type.Method, Type.Field
	imports  map[string]map[string]string // by file and, tests aside, by folder: name to path
	packages map[string]string            // names of packages, by folder
	maps     map[string]string            // package comments of files doc.go, by folder
	texts    []text
}

// text is a comment of a Go file, or a paragraph of a page or of a Python program.
type text struct {
	file  string
	line  int
	words string   // without the marks of a comment
	on    []string // the names whose declarations a comment is on
	apart bool     // the comment is on no declaration and in none
}

func (in text) isComment() bool { return path.Ext(in.file) == ".go" }

// project is the tree of this module, which is read once for all tests.
var project = sync.OnceValues(func() (*tree, error) { return readTree(os.DirFS(".")) })

func readTree(fsys fs.FS) (*tree, error) {
	t := &tree{
		paths:    map[string][]string{},
		declared: map[string]map[string]bool{},
		imports:  map[string]map[string]string{},
		packages: map[string]string{},
		maps:     map[string]string{},
	}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		hidden := d.Name()[0] == '.' && name != ".ci" && name != ".github"
		if d.IsDir() && (hidden || name == "shared") {
			return fs.SkipDir
		}
		for end, more := name, true; more; _, end, more = strings.Cut(end, "/") {
			t.paths[end] = append(t.paths[end], name)
		}
		if ext := path.Ext(name); d.IsDir() || ext != ".go" && ext != ".md" && ext != ".py" {
			return nil
		}
		b, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		return t.read(name, b)
	})
	return t, err
}

func (t *tree) read(name string, b []byte) error {
	if path.Ext(name) == ".go" {
		return t.readGo(name, b)
	}
	t.readPage(name, string(b))
	return nil
}

// readPage adds the paragraphs of a page or of a Python program. A row of a table is a paragraph,
// and so is a line indented as code with what is indented further below it.
func (t *tree) readPage(name, page string) {
	if slices.Contains(datedPages, name) {
		return
	}
	open := false // the last text goes on
	for i, line := range strings.Split(page, "\n") {
		row := strings.HasPrefix(line, "|")
		code := strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "     ")
		switch {
		case strings.TrimSpace(line) == "":
			open = false
		case open && !row && !code:
			t.texts[len(t.texts)-1].words += "\n" + line
		default:
			t.texts = append(t.texts, text{file: name, line: i + 1, words: line})
			open = true
		}
	}
}

// readGo adds the declarations and the comments of a file.
func (t *tree) readGo(name string, source []byte) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	folder := path.Dir(name)
	t.packages[folder] = strings.TrimSuffix(file.Name.Name, "_test")
	if path.Base(name) == "doc.go" {
		t.maps[folder] = file.Doc.Text()
	}
	on := map[*ast.CommentGroup][]string{}
	for _, d := range file.Decls {
		for _, of := range declarations(d) {
			for _, n := range of.names {
				t.declare(name, n)
				t.declare(folder, n)
			}
			on[of.comment] = append(on[of.comment], of.names[:of.described]...)
		}
	}
	for _, spec := range file.Imports {
		if err := t.imported(name, spec); err != nil {
			return err
		}
	}
	for _, group := range file.Comments {
		at := files.Position(group.Pos())
		t.texts = append(t.texts, text{name, at.Line, plain(group), on[group],
			at.Column == 1 && len(on[group]) == 0 && group != file.Doc})
	}
	return nil
}

func (t *tree) imported(file string, spec *ast.ImportSpec) error {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return err
	}
	local := path.Base(version.ReplaceAllString(p, ""))
	if spec.Name != nil {
		local = spec.Name.Name
	}
	places := []string{file}
	if !strings.HasSuffix(file, "_test.go") {
		places = append(places, path.Dir(file))
	}
	for _, place := range places {
		if t.imports[place] == nil {
			t.imports[place] = map[string]string{}
		}
		t.imports[place][local] = p
	}
	return nil
}

func (t *tree) declare(place, name string) {
	if t.declared[place] == nil {
		t.declared[place] = map[string]bool{}
	}
	t.declared[place][name] = true
}

// plain returns the words of a comment, a line for each line of the comment. Directives to tools
// have no words.
func plain(group *ast.CommentGroup) string {
	var lines []string
	for _, c := range group.List {
		line, _ := strings.CutPrefix(c.Text, "//")
		if strings.HasPrefix(line, "go:") {
			line = ""
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// declaration is what one comment describes.
type declaration struct {
	comment   *ast.CommentGroup
	names     []string
	described int // so many of the names are what the comment is on; the others are members
}

func declarations(d ast.Decl) []declaration {
	if f, ok := d.(*ast.FuncDecl); ok {
		if f.Recv == nil {
			return []declaration{{f.Doc, []string{f.Name.Name}, 1}}
		}
		method := receiver(f.Recv.List[0].Type) + "." + f.Name.Name
		return []declaration{{f.Doc, []string{method}, 1}}
	}
	var list []declaration
	all := declaration{comment: d.(*ast.GenDecl).Doc}
	for _, spec := range d.(*ast.GenDecl).Specs {
		var of declaration
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			of = declaration{spec.Doc, append([]string{spec.Name.Name}, members(spec)...), 1}
		case *ast.ValueSpec:
			of.comment, of.described = spec.Doc, len(spec.Names)
			for _, n := range spec.Names {
				of.names = append(of.names, n.Name)
			}
		default:
			continue
		}
		list = append(list, of)
		all.names = append(all.names, of.names[:of.described]...)
	}
	all.described = len(all.names)
	return append(list, all)
}

// receiver returns the name of a receiver's type, without the star and the type's parameters.
func receiver(e ast.Expr) string {
	switch of := e.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return ""
}

// members returns the fields of a structure or the methods of an interface, as Type.Member.
func members(spec *ast.TypeSpec) []string {
	list := &ast.FieldList{}
	switch of := spec.Type.(type) {
	case *ast.StructType:
		list = of.Fields
	case *ast.InterfaceType:
		list = of.Methods
	}
	var names []string
	for _, m := range list.List {
		for _, n := range m.Names {
			names = append(names, spec.Name.Name+"."+n.Name)
		}
	}
	return names
}

// find returns the files that a name in a text may mean. The name is a path from the folder of the
// text or from one above it, or the end of a path (train/step.go), or the last element alone of a
// file whose folder the text names by a path of several elements or as its first word.
func (t *tree) find(in text, name string) []string {
	for from := in.file; from != "."; {
		from = path.Dir(from)
		if p := path.Join(from, name); slices.Contains(t.paths[p], p) {
			return []string{p}
		}
	}
	if strings.Contains(name, "/") {
		return t.paths[name]
	}
	var found []string
	for i, p := range pathName.FindAllString(in.words, -1) {
		if p == name || i > 0 && !strings.Contains(p, "/") {
			continue // the name itself, or a plain word
		}
		for _, place := range t.paths[strings.TrimRight(p, "/")] {
			for _, f := range []string{path.Join(place, name), path.Join(path.Dir(place), name)} {
				if slices.Contains(t.paths[f], f) {
					found = append(found, f)
				}
			}
		}
	}
	return found
}

// matches reports whether a name with * stands for a file.
func (t *tree) matches(in text, name string) bool {
	for _, pattern := range []string{name, path.Join(path.Dir(in.file), name)} {
		for p := range t.paths {
			if ok, err := path.Match(pattern, p); err == nil && ok {
				return true
			}
		}
	}
	return false
}

// inText returns what a pattern finds in the text of in: groups of each match, and where it is.
// Every match has one of the marks. They are found sooner than a match.
func inText(
	in text, pattern *regexp.Regexp, marks ...string,
) (found [][]string, places []string) {
	has := func(mark string) bool { return strings.Contains(in.words, mark) }
	if !slices.ContainsFunc(marks, has) {
		return nil, nil
	}
	for _, at := range pattern.FindAllStringSubmatchIndex(in.words, -1) {
		var groups []string
		for i := 0; i < len(at); i += 2 {
			groups = append(groups, in.words[at[i]:at[i+1]])
		}
		found = append(found, groups)
		places = append(places, fmt.Sprintf("%s:%d", in.file,
			in.line+strings.Count(in.words[:at[len(at)-2]], "\n")))
	}
	return found, places
}

// missingFiles lists the names of files that are none. A name without a folder may be that of a
// user's file, so of those it checks Go files alone.
func missingFiles(t *tree) (problems []string, others map[string]bool) {
	others = map[string]bool{}
	for _, in := range t.texts {
		if strings.Contains(in.words, "://") {
			in.words = webAddress.ReplaceAllString(in.words, "")
		}
		found, places := inText(in, fileName, ".go", ".md", ".py", ".s", ".txtar", ".y")
		for i, f := range found {
			name := f[0]
			switch {
			case otherFiles[name] != "":
				others[name] = true
			case strings.Contains(name, "*"):
				if !t.matches(in, name) {
					problems = append(problems, places[i]+": no file is like "+name)
				}
			case !strings.Contains(name, "/") && path.Ext(name) != ".go":
			case t.find(in, name) == nil:
				problems = append(problems, places[i]+": there is no file "+name)
			}
		}
	}
	return problems, others
}

// misplaced lists the declarations that are not in the file that a text gives in brackets after
// their name.
func misplaced(t *tree) []string {
	var problems []string
	check := func(in text, pattern *regexp.Regexp, quoted bool) {
		found, places := inText(in, pattern, "(")
		for i, f := range found {
			known, here := quoted, false
			files := t.find(in, f[2])
			for _, file := range files {
				known = known || t.declared[path.Dir(file)][f[1]]
				here = here || t.declares(file, f[1])
			}
			if len(files) > 0 && known && !here {
				problems = append(problems, fmt.Sprintf("%s: %s has no %s", places[i], f[2], f[1]))
			}
		}
	}
	for _, in := range t.texts {
		if in.isComment() {
			check(in, plainPlace, false)
		} else {
			check(in, quotedPlace, true)
		}
	}
	return problems
}

// declares reports whether a file declares a name, or a method or a field of that name.
func (t *tree) declares(file, name string) bool {
	for n := range t.declared[file] {
		if n == name || strings.HasSuffix(n, "."+name) {
			return true
		}
	}
	return false
}

// deadLinks lists the links in comments that lead to no declaration.
func deadLinks(t *tree) []string {
	var problems []string
	for _, in := range t.texts {
		if !in.isComment() {
			continue
		}
		found, places := inText(in, docLink, "[")
		for i, f := range found {
			if !t.leads(in, f[1]) {
				problems = append(problems, fmt.Sprintf("%s: [%s] is not declared, or its package "+
					"is not imported", places[i], f[1]))
			}
		}
	}
	return problems
}

// leads reports whether a link leads to a declaration. Packages of other modules are not read: of
// those it is enough that they are imported.
func (t *tree) leads(in text, link string) bool {
	if t.declared[path.Dir(in.file)][link] {
		return true
	}
	qualifier, name, _ := strings.Cut(link, ".")
	for _, place := range []string{in.file, path.Dir(in.file)} {
		p := t.imports[place][qualifier]
		folder, ours := strings.CutPrefix(p, module+"/")
		if ours && t.declared[folder][name] || p != "" && !ours {
			return true
		}
	}
	return false
}

// undeclared lists the names pkg.Name of which no package pkg of this module is the home. In a
// comment, pkg may also be a variable or a package of another module. On the pages for those who
// change the program it is a package of this module; the pages for users name Python's packages.
func undeclared(t *tree) []string {
	var problems []string
	for _, in := range t.texts {
		pattern := qualifiedName
		if !in.isComment() {
			pattern = quotedName
		}
		found, places := inText(in, pattern, ".")
		for i, f := range found {
			ours, known := strings.HasPrefix(in.file, ".github/"), false
			for folder, pkg := range t.packages {
				ours = ours || in.isComment() && pkg == f[1]
				known = known || pkg == f[1] && t.declared[folder][f[2]]
			}
			if ours && !known {
				problems = append(problems, places[i]+": there is no "+f[1]+"."+f[2])
			}
		}
	}
	return problems
}

// missingTests lists the names of tests that are none. In the pattern of a flag -run, the beginning
// of a test's name is enough.
func missingTests(t *tree) []string {
	known := map[string]bool{}
	for place, names := range t.declared {
		if strings.HasSuffix(place, "_test.go") {
			maps.Copy(known, names)
		}
	}
	var problems []string
	for _, in := range t.texts {
		pattern := strings.Contains(in.words, "-run ")
		found, places := inText(in, testName, "Test", "Fuzz", "Benchmark")
		for i, f := range found {
			is := known[f[0]] || t.declared[path.Dir(in.file)][f[0]]
			for name := range known {
				is = is || pattern && strings.HasPrefix(name, f[0])
			}
			if !is {
				problems = append(problems, places[i]+": there is no test "+f[0])
			}
		}
	}
	return problems
}

// stranded lists the comments that begin with the name of something other than what they are on, as
// they do after a renaming, or when a declaration was moved without its comment.
func stranded(t *tree) []string {
	var problems []string
	for _, in := range t.texts {
		words := strings.FieldsFunc(in.words, func(r rune) bool {
			return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
		if !in.isComment() || len(words) == 0 {
			continue
		}
		first := words[0]
		declared := t.declared[path.Dir(in.file)][first]
		lower := unicode.IsLower([]rune(first)[0])
		compound := lower || strings.ContainsFunc(first[1:], unicode.IsUpper)
		place := fmt.Sprintf("%s:%d", in.file, in.line)
		switch {
		case in.apart && declared && compound:
			problems = append(problems, place+": a comment on "+first+" stands apart from it")
		case len(in.on) != 1 || testName.MatchString(in.on[0]): // a test's tells of what is tested
		case (declared || lower) && !strings.HasSuffix("."+in.on[0], "."+first):
			problems = append(problems, place+": the comment on "+in.on[0]+" begins with "+first)
		}
	}
	return problems
}

// unnamed lists the Go files that the package comment in their folder's doc.go does not name. Tests
// need no name there, and neither do files of a package without a doc.go.
func unnamed(t *tree) []string {
	var problems []string
	names := map[string][]string{} // in the package comment of a folder
	for folder, comment := range t.maps {
		names[folder] = fileName.FindAllString(comment, -1)
	}
	for _, p := range slices.Sorted(maps.Keys(t.paths)) {
		folder, name := path.Split(p)
		named, mapped := names[path.Clean(folder)]
		switch {
		case !mapped || !slices.Contains(t.paths[p], p): // p may be the end of a path alone
		case path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || name == "doc.go":
		case !slices.Contains(named, name):
			problems = append(problems, folder+"doc.go: its package comment does not name "+name)
		}
	}
	return problems
}

// namesIn reads the tree of this module.
func namesIn(t *testing.T) *tree {
	t.Helper()
	names, err := project()
	if err != nil {
		t.Fatal(err)
	}
	if len(names.texts) < 1000 {
		t.Fatalf("only %d comments and paragraphs found", len(names.texts))
	}
	return names
}

// TestNamedFilesExist checks the files that comments and pages name, and the declarations that they
// say are in a file.
func TestNamedFilesExist(t *testing.T) {
	names := namesIn(t)
	problems, others := missingFiles(names)
	for _, problem := range append(problems, misplaced(names)...) {
		t.Error(problem)
	}
	for name := range otherFiles {
		if !others[name] {
			t.Errorf("nothing names %s: remove it from otherFiles", name)
		}
	}
}

// TestDocLinksResolve checks the links in comments, and names with their package.
func TestDocLinksResolve(t *testing.T) {
	names := namesIn(t)
	for _, problem := range append(deadLinks(names), undeclared(names)...) {
		t.Error(problem)
	}
}

func TestNamedTestsExist(t *testing.T) {
	for _, problem := range missingTests(namesIn(t)) {
		t.Error(problem)
	}
}

func TestCommentsAreOnWhatTheyName(t *testing.T) {
	for _, problem := range stranded(namesIn(t)) {
		t.Error(problem)
	}
}

// TestDocsNameFiles holds each doc.go to a map of its folder: its package comment names all files.
func TestDocsNameFiles(t *testing.T) {
	for _, problem := range unnamed(namesIn(t)) {
		t.Error(problem)
	}
}

// TestNamesCanFail checks that a wrong name of each kind is found, and no right one.
func TestNamesCanFail(t *testing.T) {
	const code = `package a

import (
	"go/ast"

	"drolab/b"
)

type List struct{ Head ast.Node }

func (l *List) Len() int { return b.Len }
`
	cases := []struct{ file, words, want string }{ // "" is right
		{"a/a.go", "// See a.go, a/a.go, b/b.go and ../b/b.go.", ""},
		{"a/a.go", "// See page.md and https://example.com/x.go.", ""},
		{"a/a.go", "// See b.go.", "a/a.go:12: there is no file b.go"},
		{"a/a.go", "// See b.go, of package b/ below the root.", ""},
		{"a/a.go", "// One line.\n// See a/c.go.", "a/a.go:13: there is no file a/c.go"},
		{"a/a.go", "// See b/*.go.", ""},
		{"a/a.go", "// See b/c*.go.", "no file is like b/c*.go"},
		{"a/a.go", "// A List (a.go) is here.", ""},
		{"a/a.go", "// A List (a_test.go) is not there.", "a_test.go has no List"},
		{"a/a.go", "// [List], [*List.Len], [List.Head], [b.Len], [ast.File], x[C], [N][C].", ""},
		{"a/a.go", "// One\n// [Lost].", "a/a.go:13: [Lost]"},
		{"a/a.go", "// [List.Cap].", "[List.Cap]"},
		{"a/a.go", "// [b.Cap].", "[b.Cap]"},
		{"a/a.go", "// [token.Pos].", "[token.Pos]"},
		{"a/a.go", "// The b.Len of a b, an ast.Lost, a variable v.Len and its v.b.Cap.", ""},
		{"a/a.go", "// The b.Cap of a b.", "there is no b.Cap"},
		{"a/a.go", "// See TestList and go test -run TestLi.", ""},
		{"a/a.go", "// TestLi.", "there is no test TestLi"},
		{"a/a.go", "// Cap is.\nfunc Cap() {}", ""},
		{"a/a.go", "// Cap is.\nfunc (l List) Cap() {}", ""},
		{"a/a.go", "// List is.\nfunc Cap() {}", "the comment on Cap begins with List"},
		{"a/a.go", "// length is.\nfunc Cap() {}", "the comment on Cap begins with length"},
		{"a/a.go", "// newCap is.\n\nfunc newCap() {}", "a comment on newCap stands apart"},
		{"page.md", "`List` (`a/a.go`), TestList, `a.go` in `a/`.", ""},
		{"page.md", "`Lost` (`a/a.go`).", "page.md:1: a/a.go has no Lost"},
		{"page.md", "A row in `a/`.\n\nHere `a.go`.", "page.md:3: there is no file a.go"},
		{"page.md", "| `a/` |\n| `a.go` |", "page.md:2: there is no file a.go"},
		{"page.md", "TestLost", "page.md:1: there is no test TestLost"},
		{".github/page.md", "`a.List.Len` and `b.Len`", ""},
		{".github/page.md", "`b.Cap`", "there is no b.Cap"},
		{"c/doc.go", "// Package c has c.go and old_c.go.\npackage c", ""},
		{"c/doc.go", "// Package c has old_c.go and c/c.go.\npackage c", "does not name c.go"},
		{"c/doc.go", "// Package c has c.go.\npackage c\n\n// See old_c.go.", "not name old_c.go"},
		{"c/doc.go", "package c", "c/doc.go: its package comment does not name c.go"},
	}
	for _, c := range cases {
		files := map[string]string{"a/a.go": code, "a/a_test.go": "package a\nfunc TestList() {}",
			"b/b.go": "package b\nvar Len int", "page.md": "",
			"c/c.go": "package c", "c/old_c.go": "package c", "c/c_test.go": "package c"}
		files[c.file] += c.words
		fsys := fstest.MapFS{}
		for name, content := range files {
			fsys[name] = &fstest.MapFile{Data: []byte(content)}
		}
		names, err := readTree(fsys)
		if err != nil {
			t.Fatal(err)
		}
		missing, _ := missingFiles(names)
		got := strings.Join(slices.Concat(missing, misplaced(names), deadLinks(names),
			undeclared(names), missingTests(names), stranded(names), unnamed(names)), "; ")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s with %q: %q, want %q", c.file, c.words, got, c.want)
		}
	}
}
