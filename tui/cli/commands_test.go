package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"drolab/runner"
	"drolab/tui/cli/console"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestCommandsAreComplete: a command about runs that the program advises is completed with the
// folder of the runs and the box. No text of the interface or of a command has one in words of its
// own, apart from help and usage.
func TestCommandsAreComplete(t *testing.T) {
	verb := regexp.MustCompile(`drolab (attach|resume|stop|pause|runs|report|compare|delete|show` +
		`|run|sweep (start|stop|status|table)|engine|doctor)\b`)
	completes := []string{"Command", "CommandThere"}
	usage := []string{"One", "OneOrMore", "OneAtMost", "Count"} // checks of arguments
	fields := []string{"Example", "Long", "Short", "Use"}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") ||
			strings.HasSuffix(path, "_test.go") || strings.Contains(path, "tuitest") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok {
					return !slices.Contains(completes, f.Sel.Name) &&
						!slices.Contains(usage, f.Sel.Name)
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok {
					return !slices.Contains(fields, key.Name)
				}
			case *ast.BasicLit:
				if found := verb.FindString(n.Value); found != "" && !general(n.Value) {
					t.Errorf("%s: %s is not completed: use Command", set.Position(n.Pos()), found)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// general reports whether a text is about commands as such, and advises none for these runs.
func general(text string) bool {
	for _, of := range []string{
		"Pause runs with a checkpoint", "Stop runs with a checkpoint", "Stop a sweep", // help
		"give runs, or --all", "give a sweep's folder", "give a run and", // usage
		"drolab presets NAME shows one",               // any folder
		"drolab run --inline", "another drolab sweep", // names of processes
		"drolab help", "drolab doctor --help", "# SFK-DRO, PGD", // help
		"needs a terminal: see drolab compare", "demo needs", // of recorded runs
		"drolab compare recorded",
	} {
		if strings.Contains(text, of) {
			return true
		}
	}
	return false
}

// TestFlagsBeginWithAWord: the help writes the first word of a flag's usage with one capital, so it
// is no abbreviation and no placeholder.
func TestFlagsBeginWithAWord(t *testing.T) {
	flag := func(f *pflag.Flag) {
		word, _, _ := strings.Cut(f.Usage, " ")
		letters := utf8.RuneCountInString(strings.Trim(word, ",:"))
		if letters > 1 && word == strings.ToUpper(word) && word != strings.ToLower(word) {
			t.Errorf("--%s: its usage begins with %s", f.Name, word)
		}
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.LocalFlags().VisitAll(flag)
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(root(console.New(console.Env{})))
}

// TestAdvisedFolder: a command that is advised has --runs where the folder is not the one without
// --runs, and only there.
func TestAdvisedFolder(t *testing.T) {
	con := console.New(console.Env{RunsDir: "/usual"})
	if got, want := con.Command("drolab attach"), "drolab attach"; got != want {
		t.Errorf("in the usual folder: %s, want %s", got, want)
	}
	con.RunsDir = "/my runs"
	if got, want := con.Command("drolab attach"), "drolab attach --runs '/my runs'"; got != want {
		t.Errorf("in another folder: %s, want %s", got, want)
	}
	con.Forwarded.Box = "gpu1"
	want := "drolab stop RUN --runs '/my runs' --box gpu1"
	if got := con.Command("drolab stop RUN"); got != want {
		t.Errorf("on a box: %s, want %s", got, want)
	}
}

// TestReadSeveral: runner.ReadSeveral has the commands with a flag --box of their own.
func TestReadSeveral(t *testing.T) {
	var got []string
	for _, c := range root(console.New(console.Env{})).Commands() {
		if c.LocalNonPersistentFlags().Lookup("box") != nil {
			got = append(got, c.Name())
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, runner.ReadSeveral) {
		t.Errorf("%v read several machines, want %v", got, runner.ReadSeveral)
	}
}
