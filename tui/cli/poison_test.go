package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"drolab/dro/memtest"
	"drolab/dro/testsize"
	"drolab/runner/disk"
	"drolab/runner/record/recordtest"
	"drolab/tui/cli/console"
	"drolab/tui/internal/tuitest"
)

// received returns a run folder as if somebody had sent it. It has each kind of event.
func received(t *testing.T) (runs, id string) {
	t.Helper()
	runs, id = t.TempDir(), "csv-sfk-s1-20261126-144349-y7qd"
	dir := filepath.Join(runs, id)
	check(t, os.CopyFS(dir,
		os.DirFS(filepath.Join("..", "..", "runner", "record", "testdata", "format1", id))))
	log, err := os.OpenFile(filepath.Join(dir, "events.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	check(t, err)
	defer log.Close()
	for _, line := range []string{
		`{"seq":14,"type":"warning","time":"2026-11-26T22:12:38Z","step":12,"message":"odd"}`,
		`{"seq":15,"type":"knob","time":"2026-11-26T22:12:38Z","step":12,` +
			`"key":"lr","old":0.01,"new":"auto"}`,
		`{"seq":16,"type":"status","time":"2026-11-26T22:12:38Z","step":12,` +
			`"status":"failed","cause":"bad luck"}`,
	} {
		_, err = log.WriteString(line + "\n")
		check(t, err)
	}
	recordtest.Reseal(t, runs)
	return runs, id
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestNothingSteersTheTerminal poisons every string of every file of a run, and checks the output
// of every command that reads runs.
func TestNothingSteersTheTerminal(t *testing.T) {
	runs, id := received(t)
	env := console.Env{DataDir: t.TempDir(), RunsDir: runs, RuntimeDir: t.TempDir(),
		SignalContext: func(ctx context.Context, _ func()) (context.Context, context.CancelFunc) {
			return context.WithCancel(ctx)
		}}
	out, errs := printed(t), printed(t)
	env.Stdout, env.Stderr = out, errs
	say := func(args ...string) (stdout string) {
		Main(context.Background(), env, args)
		stdout = taken(t, out)
		for _, text := range []string{stdout, taken(t, errs)} {
			if bad := tuitest.Steered(text); bad != "" {
				t.Errorf("drolab %s prints %s", strings.Join(args, " "), bad)
			}
		}
		return stdout
	}
	n := 0
	everything := func(where string) {
		if n++; n%testsize.Pick(56, 4, 1) != 0 {
			return
		}
		commands := [][]string{{"runs"}, {"show", id}, {"compare", "csv"}, {"show", "latest"},
			{"pause", "--all"}, {"stop", id}, {"checkpoint", id + "@12", "--pin"},
			{"knob", id, "lr=1"}, {"engine", "status"},
			{"run", "--from", id + "@12", "--set", "lr=-1"}, {"__complete", "show", ""},
			{"delete", id}}
		if testsize.Long() || n%28 == 0 { // these commands read data or weights, which takes time
			commands = append(commands, []string{"theory", id},
				[]string{"eval", id}, []string{"certify", id},
				[]string{"features", id, "--out", filepath.Join(t.TempDir(), "x.npz")},
				[]string{"label", id, "--note", "x"}, []string{"doctor"}, []string{"report", id},
				[]string{"export", id, "--to", "csv", "--out", filepath.Join(t.TempDir(), "x")})
		}
		for _, args := range commands {
			if say(args...); t.Failed() {
				t.Fatalf("with %s", where)
			}
		}
		copied := t.TempDir() // a resume changes it
		check(t, os.CopyFS(copied, os.DirFS(runs)))
		say("resume", id, "--runs", copied)
		check(t, os.RemoveAll(copied))
		for _, args := range [][]string{{"runs", "--json"}, {"show", id, "--json"},
			{"compare", "csv", "--json"}} {
			if text := say(args...); text != "" && !json.Valid([]byte(text)) {
				t.Fatalf("with %s, %v is not JSON:\n%s", where, args, text)
			}
		}
	}
	const bad = tuitest.Poison
	for _, args := range [][]string{{"nothing" + bad}, {"show", bad}, {"run", bad}, {"--" + bad},
		{"help", bad}, {"run", "shapes", "--set", bad}, {"data", "show", bad},
		{"__complete", bad, ""}, {"runs", "--runs", bad}} {
		say(args...)
	}
	tuitest.PoisonEach(t, runs, everything)
	if n < 50 {
		t.Errorf("%d strings were found", n)
	}
	said := []string{
		`{"protocol":99,"version":"` + tuitest.Poison + `"}` + "\n",
		`{"protocol":1}` + "\n" + `{"error":"` + tuitest.Poison + `"}` + "\n",
		`{"protocol":1}` + "\n" + `{"status":{"version":"` + tuitest.Poison + `","runs_dir":"` +
			tuitest.Poison + `","log":"` + tuitest.Poison + `","runs":[{"id":"` + tuitest.Poison +
			`","trouble":"` + tuitest.Poison + `"}]}}` + "\n",
	}
	answer(t, runs, slices.Concat(said, said))
	for _, more := range [][]string{nil, {"--json"}} {
		for range said {
			if text := say(append([]string{"engine", "status"}, more...)...); more != nil &&
				text != "" && !json.Valid([]byte(text)) {
				t.Errorf("not JSON:\n%s", text)
			}
		}
	}
}

// printed returns a file to print to. Only a file gets colours when they are asked for.
func printed(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "printed"))
	check(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// taken returns the text that was printed since the last call.
func taken(t *testing.T, f *os.File) string {
	t.Helper()
	text, err := os.ReadFile(f.Name())
	check(t, err)
	check(t, f.Truncate(0))
	_, err = f.Seek(0, io.SeekStart)
	check(t, err)
	return string(text)
}

// answer makes the lock file of a runs folder name a socket, and sends one text to each client that
// connects there: its first line at once, and the rest after the client's request.
func answer(t *testing.T, runs string, say []string) {
	t.Helper()
	path := filepath.Join(memtest.Short(t), "view")
	text, err := json.Marshal(map[string]string{"control": path, "view": path,
		"host": tuitest.Poison})
	check(t, err)
	check(t, os.WriteFile(filepath.Join(runs, ".engine.lock"), text, 0o600))
	l, err := net.Listen("unix", path)
	check(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for _, text := range say {
			c, err := l.Accept()
			if err != nil {
				return
			}
			hello, reply, _ := strings.Cut(jsonEscapes.Replace(text), "\n")
			io.WriteString(c, hello+"\n")
			if reply != "" {
				bufio.NewReader(c).ReadString('\n')
				io.WriteString(c, reply)
			}
			c.Close()
		}
	}()
}

var jsonEscapes = strings.NewReplacer("\x1b", `\u001b`, "\x07", `\u0007`)

// TestDelete: the command asks before it deletes, and removes the named run and nothing else.
func TestDelete(t *testing.T) {
	for _, c := range []struct {
		answer string
		args   []string
		held   bool
		gone   bool
	}{
		{"", nil, false, false}, {"no\n", nil, false, false}, {"y\n", nil, false, false},
		{"yes\n", nil, false, true}, {"", []string{"--yes"}, false, true},
		{"", []string{"--yes"}, true, false},
	} {
		runs, id := received(t)
		other := filepath.Join(runs, "other")
		check(t, os.CopyFS(other, os.DirFS(filepath.Join(runs, id))))
		if c.held {
			l, err := disk.Acquire(filepath.Join(runs, id, "lock"))
			check(t, err)
			defer l.Release()
		}
		var out bytes.Buffer
		code := Main(context.Background(), console.Env{Stdin: strings.NewReader(c.answer),
			Stdout: &out,
			Stderr: &out, RunsDir: runs}, append([]string{"delete", id}, c.args...))
		_, err := os.Stat(filepath.Join(runs, id))
		_, err2 := os.Stat(other)
		if gone := errors.Is(err, fs.ErrNotExist); gone != c.gone {
			t.Errorf("%+v: the run is gone: %v, want %v\n%s", c, gone, c.gone, out.String())
		}
		if err2 != nil {
			t.Errorf("%+v: the other run: %v, want it untouched", c, err2)
		}
		if done := code == 0; done != c.gone {
			t.Errorf("%+v: exit status %d, want 0 only if the run is gone\n%s", c, code,
				out.String())
		}
		left, err := os.ReadDir(runs)
		if check(t, err); len(left) > 2 {
			t.Errorf("%+v leaves %v", c, left)
		}
	}
}

// TestOneWriter: this package prints only through the writers of a console, which clean the text.
// The terminal itself is used only for the interface and to measure its size.
func TestOneWriter(t *testing.T) {
	files, err := filepath.Glob("*.go")
	check(t, err)
	below, err := filepath.Glob("*/*.go")
	check(t, err)
	files = append(files, below...)
	if len(below) < 20 {
		t.Fatalf("only %d files below", len(below))
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		check(t, err)
		for _, bad := range prints(file) {
			t.Errorf("%s: %s: print to Stdout or Stderr of a console", name, bad)
		}
	}
	const cheat = `package cli
func (s *Screen) f(c *cobra.Command, env Env) {
	fmt.Println(1); print(2); c.Println(3); c.OutOrStdout(); log.Print(4)
	io.WriteString(os.Stderr, ""); fmt.Fprint(env.Stdout, ""); fmt.Fprint(s.Env.Stdout,
		""); syscall.Write(1, nil)
	c.Env.Stderr.Write(nil)
}`
	file, err := parser.ParseFile(token.NewFileSet(), "", cheat, 0)
	check(t, err)
	if got := prints(file); len(got) != 10 {
		t.Errorf("of 10 ways around it these are found: %q", got)
	}
}

// prints returns the places where a file prints to a terminal past the writers of a console.
func prints(file *ast.File) (list []string) {
	// make the writers, measure, draw, pass on the bytes of a box where there is no terminal,
	// converse with another drolab, ask the terminal which pictures it draws
	raw := []string{"New", "terminalSize", "screen", "root", "forwardedStream", "serveBox",
		"pictures"}
	for _, d := range file.Decls {
		f, isFunc := d.(*ast.FuncDecl)
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				switch name := n.Fun.(type) {
				case *ast.Ident:
					if name.Name == "print" || name.Name == "println" {
						list = append(list, name.Name)
					}
					return !slices.Contains(raw, name.Name)
				case *ast.SelectorExpr:
					return selector(name) != "console.New"
				}
			case *ast.SelectorExpr:
				if name := selector(n); past(name) &&
					!(isFunc && slices.Contains(raw, f.Name.Name)) {
					list = append(list, name)
				}
			}
			return true
		})
	}
	return list
}

func selector(s *ast.SelectorExpr) string {
	switch x := s.X.(type) {
	case *ast.Ident:
		return x.Name + "." + s.Sel.Name
	case *ast.SelectorExpr:
		return x.Sel.Name + "." + s.Sel.Name
	}
	return "." + s.Sel.Name
}

func past(name string) bool {
	of, what, _ := strings.Cut(name, ".")
	switch of {
	case "fmt", "c", "cmd", "root":
		return strings.HasPrefix(what, "Print") || strings.Contains(what, "OrStd")
	case "os", "env", "Env":
		return what == "Stdout" || what == "Stderr"
	case "log", "slog":
		return true
	case "syscall", "unix":
		return what == "Write"
	}
	return strings.Contains(what, "OrStd")
}
