// Package docs has no code but tests, which check that the pages agree with the program.
package docs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"drolab/dro"
	"drolab/dro/testsize"
	"drolab/presets/recorded"
	"drolab/runner/alert"
	"drolab/runner/data/source"
	"drolab/runner/foreign"
	"drolab/runner/lists"
	"drolab/runner/report"
	"drolab/runner/report/paper"
	"drolab/tui/cli"
)

// root is the root of the repository, relative to this package.
const root = ".."

// page is a Markdown file, cut into the parts that the tests check.
type page struct {
	path, text string
	wide       []string          // lines of more than 100 cells, tables aside
	commands   []string          // lines of code blocks that call the program, by its name
	files      []string          // blocks of YAML
	anchors    map[string]bool   // the anchors of the headings, as GitHub names them
	links      map[string]string // the line of each link, by its address
	code       []string          // words in `backquotes`
}

var (
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)
	quoted  = regexp.MustCompile("`([^`]+)`")
	comment = regexp.MustCompile(`\s+(#|>|\|).*$`) // a shell's comment, redirection or pipe
)

// parse cuts a page into its parts. Text between a begin and an end mark was written by a program,
// and is not held to the width.
func parse(name, text string) *page {
	p := &page{path: name, text: text, anchors: map[string]bool{}, links: map[string]string{}}
	var fence, block string
	made, blank := false, true
	for line := range strings.SplitSeq(text, "\n") {
		indented := strings.HasPrefix(line, "    ") && (blank || block == "indented")
		made = made && !strings.HasSuffix(line, ": end -->") || strings.Contains(line, ": begin")
		if !made && !strings.HasPrefix(line, "|") && utf8.RuneCountInString(line) > 100 {
			p.wide = append(p.wide, line)
		}
		switch {
		case strings.HasPrefix(line, "```"):
			if fence = strings.TrimPrefix(line, "```"); block == "fenced" {
				block = ""
				break
			}
			block = "fenced"
			if fence == "yaml" {
				p.files = append(p.files, "")
			}
		case block == "fenced" && fence == "yaml":
			p.files[len(p.files)-1] += line + "\n"
		case block == "fenced" || indented:
			if !indented {
				line = "    " + line
			} else {
				block = "indented"
			}
			p.command(strings.TrimPrefix(line, "    "))
		default:
			block = ""
			p.note(line)
		}
		blank = line == ""
	}
	return p
}

// command keeps a line of code that calls the program.
func (p *page) command(line string) {
	line = comment.ReplaceAllString(line, "")
	if rest, ok := strings.CutPrefix(line, "go run ."); ok {
		line = "drolab" + rest
	}
	if line == "drolab" || strings.HasPrefix(line, "drolab ") {
		p.commands = append(p.commands, line)
	}
}

// note keeps the heading, the links and the quoted words of a line.
func (p *page) note(line string) {
	if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
		p.anchors[anchor(title[1:])] = true
	}
	for _, m := range linked.FindAllStringSubmatch(line, -1) {
		p.links[m[1]+m[2]] = line
	}
	for _, m := range quoted.FindAllStringSubmatch(line, -1) {
		p.code = append(p.code, m[1])
	}
}

// anchor returns the address of a heading: its letters and digits in lower case, and dashes.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || inWords(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

func inWords(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// pages reads the Markdown files that match the patterns.
func pages(t *testing.T, patterns ...string) (list []*page) {
	t.Helper()
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			name = strings.TrimPrefix(filepath.ToSlash(name), root+"/")
			list = append(list, parse(name, string(text)))
		}
	}
	return list
}

// TestReadmeIsShort: the README can be read in one go.
func TestReadmeIsShort(t *testing.T) {
	text := pages(t, "README.md")[0].text
	if n := strings.Count(text, "\n"); n > 200 {
		t.Errorf("%d lines, want at most 200", n)
	}
	if n := len(strings.Fields(text)); n > 1500 {
		t.Errorf("%d words, want at most 1500", n)
	}
}

// TestWidthOfDocs: a line has at most 100 cells, tables aside.
func TestWidthOfDocs(t *testing.T) {
	for _, p := range pages(t, "README.md", "docs/*.md", ".github/CONTRIBUTING.md",
		"presets/recorded/paper/*.md") {
		for _, line := range p.wide {
			t.Errorf("%s: wider than 100: %s", p.path, line)
		}
	}
}

// TestLinksOfDocs: every link within the repository leads to a file and, where it names one, to a
// heading of that file. Every path in backquotes leads to a file, and every test that a page names
// exists.
func TestLinksOfDocs(t *testing.T) {
	tests := declared(t)
	ours := regexp.MustCompile(`^(\.ci|\.github|docs|dro|presets|runner|testdata|tui)/[\w./-]+$`)
	list := pages(t, "README.md", "docs/*.md", ".github/*.md", "dro/*.md",
		"presets/recorded/paper/*.md")
	for _, p := range list {
		t.Run(p.path, func(t *testing.T) {
			for to, line := range p.links {
				if strings.Contains(to, "://") {
					continue
				}
				file, heading, _ := strings.Cut(to, "#")
				name := p.path
				if file != "" {
					name = path.Join(path.Dir(p.path), file)
				}
				if _, err := os.Stat(filepath.Join(root, name)); err != nil {
					t.Errorf("%s leads to no file: %v", line, err)
				}
				i := slices.IndexFunc(list, func(p *page) bool { return p.path == name })
				if heading != "" && (i < 0 || !list[i].anchors[heading]) {
					t.Errorf("%s: %s has no heading #%s", line, name, heading)
				}
			}
			for _, word := range p.code {
				// The registration stays as it was on its day, so its paths may be out of date.
				if ours.MatchString(word) && p.path != "docs/registration.md" {
					if _, err := os.Stat(filepath.Join(root, word)); err != nil {
						t.Errorf("`%s` is no file: %v", word, err)
					}
				}
				if strings.HasPrefix(word, "Test") && !strings.ContainsAny(word, " |") &&
					!tests[word] {
					t.Errorf("`%s` is no test", word)
				}
			}
		})
	}
}

// declared returns the names of the tests of all packages.
func declared(t *testing.T) map[string]bool {
	t.Helper()
	name := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	tests := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "shared" || len(d.Name()) > 2 && d.Name()[0] == '.'):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range name.FindAllStringSubmatch(string(text), -1) {
			tests[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(tests) == 0 {
		t.Fatal("no test is declared")
	}
	return tests
}

// notRun returns the commands of the pages that no script runs, each with the reason. The test asks
// the program for the help of such a command, which checks its words and flags as far as they are
// known.
func notRun() map[string]string {
	const terminal = "it opens the interface, which needs a terminal"
	const days = "it trains 120 runs: TestRegisteredRuns expands them"
	const inTest = "TestPagesAreOfTheRecordedRuns does it"
	const needsCIFAR = "it needs CIFAR-10"
	const torch = "it needs PyTorch: TestExamples asks the same program as drolab does"
	const viewers = "it waits for viewers: tui/share tests it"
	const lightning = "it follows what Lightning writes: runner/foreign tests it"
	return map[string]string{
		"drolab":                                          terminal,
		"drolab demo":                                     terminal,
		"drolab replay latest --speed 60":                 terminal,
		"drolab replay shapes --box gpu1,gpu2":            terminal,
		"drolab --box gpu1,gpu2":                          terminal,
		"drolab import --follow lightning_logs/version_0": lightning,
		"drolab box install gpu1":                         "the script sends a smaller program",
		"drolab attach":                                   terminal,
		"drolab --runs mysweep":                           terminal,
		"drolab bench":                                    "it measures for a minute",
		"drolab data fetch cifar10":                       "it downloads 170 MB",

		"drolab data show 'images:waterbirds?file=img_filename&label=y&group=place&size=64'": "" +
			"it needs Waterbirds: TestOddMetadata in runner/data reads such a folder",

		"drolab share":                viewers,
		"drolab share --listen :2222": viewers,

		"drolab run registered registered-gentle --runs registered": days,
		"drolab resume --all --runs registered":                     days,
		"drolab report registered --runs registered":                days,

		"drolab report recorded:paper --into docs/results.md":      inTest,
		"drolab report recorded:paper --into docs/paper.md":        inTest,
		"drolab report recorded:registered --into docs/results.md": inTest,
		"drolab report recorded:registered --into docs/paper.md":   inTest,

		"drolab run train.py --algo sfk,erm --seeds 4":              torch,
		"drolab run cifar_resnet18.py --algo sfk-auto,erm --detach": torch,
		"drolab run 'program:table.py file=data.csv label=kind group=colour' " +
			"--algo sfk,group": torch,
		"drolab run 'program:train.py procs=4' --algo sfk,erm": torch,

		"drolab run paper-quick --algo erm,sfk --set augment=false --set init=he": needsCIFAR,
	}
}

// TestCommandsOfDocs: every command of a page is a line of the page's script, where flags that make
// it quicker may follow, and every YAML file of the page is also a file of the script.
func TestCommandsOfDocs(t *testing.T) {
	left, listed := notRun(), map[string]bool{}
	for _, p := range pages(t, "README.md", "docs/*.md") {
		if len(p.commands)+len(p.files) == 0 {
			continue
		}
		t.Run(p.path, func(t *testing.T) {
			name := "docs-" + strings.ToLower(strings.TrimSuffix(path.Base(p.path), ".md")) +
				".txtar"
			script, err := os.ReadFile(filepath.Join(root, "testdata", "script", name))
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			for _, c := range p.commands {
				_, excused := left[c]
				listed[c] = true
				switch {
				case excused:
					var said strings.Builder
					args := append(strings.Fields(c)[1:], "--help")
					in := strings.NewReader("")
					if cli.Process(context.Background(), args, in, io.Discard, &said) != 0 {
						t.Errorf("%s --help fails: %s", c, said.String())
					}
				case !runs(string(script), c):
					t.Errorf("%s: want it in %s, or its reason in notRun", c, name)
				}
			}
			for _, f := range p.files {
				if !strings.Contains(string(script), " --\n"+f) {
					t.Errorf("%s has no file that is\n%s", name, f)
				}
			}
		})
	}
	for c := range left {
		if !listed[c] {
			t.Errorf("no page has the command %s of notRun", c)
		}
	}
}

// TestCommandsThatTell: every command for --notify in alerts.md is one that the page's script runs.
func TestCommandsThatTell(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(root, "testdata", "script", "docs-alerts.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var n int
	for _, word := range pages(t, "docs/alerts.md")[0].code {
		if !strings.HasPrefix(word, "curl ") && !strings.HasPrefix(word, "notify-send ") {
			continue
		}
		n++
		if !strings.Contains(string(script), word) {
			t.Errorf("%s: want it in docs-alerts.txtar", word)
		}
	}
	if n != 4 {
		t.Errorf("%d commands, want 4", n)
	}
}

// runs reports whether a script has a command, alone or with more flags. A command in the
// background may fail, because another command ends it.
func runs(script, command string) bool {
	for line := range strings.SplitSeq(script, "\n") {
		if strings.HasSuffix(line, "&") {
			line = strings.TrimPrefix(line, "! ")
		}
		rest, ok := strings.CutPrefix(line, command)
		ends := rest == "" || strings.HasPrefix(rest, " -") || strings.HasPrefix(rest, " &")
		if ok && ends {
			return true
		}
	}
	return false
}

// TestPagesAreOfTheRecordedRuns: no figure in the tables of the recorded runs is typed by
// hand.
func TestPagesAreOfTheRecordedRuns(t *testing.T) {
	testsize.NotShort(t, "reads the recorded logs: TestRegisteredRuns reads the settings of "+
		"these runs")
	for set, paths := range map[string][]string{
		"recorded:paper":      {"docs/results.md", "docs/paper.md"},
		"recorded:registered": {"README.md", "docs/results.md", "docs/paper.md"},
	} {
		t.Run(set, func(t *testing.T) {
			runs, err := recorded.Find(set)
			if errors.Is(err, recorded.ErrEmpty) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			s, err := recorded.StudyOf(runs)
			if err != nil {
				t.Fatal(err)
			}
			d, err := report.New(s, runs, report.Options{Publication: paper.Of(s),
				Interim: s.Registered.IsZero()})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range pages(t, paths...) {
				want, err := report.Replace(p.text, d)
				if err != nil {
					t.Fatalf("%s: %v", p.path, err)
				}
				if want != p.text {
					t.Errorf("%s has other tables: drolab report %s --into %[1]s", p.path, set)
				}
			}
		})
	}
}

// TestPagesAreCut: parse finds the parts of a page that the other tests check.
func TestPagesAreCut(t *testing.T) {
	long := strings.Repeat("wide ", 20) + "line"
	p := parse("x.md", strings.Join([]string{"# A title, 1", "One [link](y.md#z) and", "`TestIt`.",
		"- an item", "", "    drolab runs  # list", "", "    not ours", "", "```sh",
		"drolab show x | head", "drolabs", "go run . run csv", "```",
		long, "| " + long + " |", "<!-- keys: begin -->", long, "<!-- keys: end -->",
		"```yaml", "a: 1", "```"}, "\n"))
	for _, c := range []struct {
		name      string
		got, want []string
	}{
		{"commands", p.commands, []string{"drolab runs", "drolab show x", "drolab run csv"}},
		{"files", p.files, []string{"a: 1\n"}},
		{"wide", p.wide, []string{long}},
		{"code", p.code, []string{"TestIt"}},
		{"anchors", slices.Collect(maps.Keys(p.anchors)), []string{"a-title-1"}},
		{"links", slices.Collect(maps.Keys(p.links)), []string{"y.md#z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !slices.Equal(c.got, c.want) {
				t.Errorf("%q, want %q", c.got, c.want)
			}
		})
	}
	script := "drolab runs --json\n! drolab resume x &go&\n! drolab stop x\n"
	for command, want := range map[string]bool{
		"drolab": false, "drolab run": false, "drolab runs": true, "drolab resume x": true,
		"drolab stop x": false,
	} {
		t.Run(command, func(t *testing.T) {
			if got := runs(script, command); got != want {
				t.Errorf("it is run: %v, want %v", got, want)
			}
		})
	}
}

// TestTablesOfDocs: every method and every built-in data set has a row on its page.
func TestTablesOfDocs(t *testing.T) {
	for file, names := range map[string][]string{
		"methods.md": dro.MethodNames(), "data.md": source.Names(),
		"import.md": foreign.KindNames(),
		"alerts.md": lists.Map(alert.Kinds(), func(k alert.Kind) string { return k.Name })} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			row := regexp.MustCompile("(?m)^\\|[^|]*`" + regexp.QuoteMeta(name) + "`")
			if !row.Match(text) {
				t.Errorf("docs/%s has no row for %s: add one to its table", file, name)
			}
		}
	}
}
