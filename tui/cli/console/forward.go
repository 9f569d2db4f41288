package console

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"drolab/presets"
	"drolab/runner/box"
	"drolab/runner/lists"
	"drolab/tui/cell"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A command about one place is forwarded where --box is given: the same command runs on the box.
// The exceptions are the commands with BoxFlag, which read runs of several machines.

// Annotations of a command, for Forward.
const (
	readsBoxes   = "drolab_reads_boxes"   // see BoxFlag
	readsStdin   = "drolab_reads_stdin"   // see ReadsStdin
	writesFiles  = "drolab_writes_files"  // see WritesFiles
	readsPresets = "drolab_reads_presets" // see ReadsPresets
)

func annotate(c *cobra.Command, name, value string) {
	if c.Annotations == nil {
		c.Annotations = map[string]string{}
	}
	c.Annotations[name] = value
}

// ReadsStdin says that a command reads standard input, which then goes to a box with it. The others
// leave it to the shell.
func ReadsStdin(c *cobra.Command) { annotate(c, readsStdin, "yes") }

// WritesFiles says which flags of a command name a file or folder that it makes. From a box, they
// are fetched.
func WritesFiles(c *cobra.Command, flags ...string) {
	annotate(c, writesFiles, strings.Join(flags, " "))
}

// ReadsPresets says that the arguments of a command may be preset files. The text of those that are
// on this machine goes to a box with it.
func ReadsPresets(c *cobra.Command) { annotate(c, readsPresets, "yes") }

// ForwardFlag adds the flag --box to all commands.
func (c *Console) ForwardFlag(root *cobra.Command) {
	root.PersistentFlags().StringVar(&c.boxes.names, "box", c.Boxes,
		"run the command on this machine, over SSH, with the paths and data there "+
			"(docs/boxes.md); the interface, runs, alerts, compare, report, replay, attach and "+
			"box read the runs of one or several, with commas (DROLAB_BOXES)")
	MustComplete(root, "box", c.completeBoxes)
	annotate(root, readsBoxes, "yes")
}

// IsForwarded reports whether a command is to run on a box. DROLAB_BOXES alone forwards nothing.
func (c *Console) IsForwarded(of *cobra.Command) bool {
	return of.Flags().Changed("box") && of.Annotations[readsBoxes] == ""
}

// Forward runs a command, as Args give it, on the box of --box. Its streams, its exit status and
// Ctrl-C are those of the command there.
func (c *Console) Forward(of *cobra.Command, _ []string) error {
	name := strings.TrimSpace(c.boxes.names)
	if strings.Contains(name, ",") {
		return fmt.Errorf("--box %s: %s runs on one box: give one name", name, of.CommandPath())
	}
	if err := box.CheckName(name); err != nil {
		return fmt.Errorf("--box: %w", err)
	}
	req, err := c.request(of)
	if err != nil {
		return err
	}
	ctx, cancel := c.SignalContext(of.Context(), nil)
	defer cancel()
	c.SetFolding(false)
	stdout, flushOut := forwardedStream(c.Env.Stdout, c.Stdout)
	stderr, flushErr := forwardedStream(c.Env.Stderr, c.Stderr)
	req.Box = name
	f := &box.Forwarding{Program: c.SSH, Box: name, Request: *req, Interrupted: ctx.Done(),
		Stdin: c.Stdin, Stdout: stdout, Stderr: stderr}
	status, err := f.Run(of.Context())
	if err = errors.Join(err, flushOut(), flushErr()); err != nil {
		return err
	}
	if status != 0 {
		return &StatusError{Status: status}
	}
	return nil
}

// request returns a command without the flag --box.
func (c *Console) request(of *cobra.Command) (*box.Request, error) {
	req := &box.Request{Stdin: of.Annotations[readsStdin] != "" && c.Stdin != nil}
	req.Columns.Stdout, _, _ = c.Size()
	req.Columns.Stderr, req.Rows, _ = c.SizeErr()
	for _, v := range c.Environ {
		name, _, _ := strings.Cut(v, "=")
		if slices.Contains(forwardedVariables, name) {
			req.Env = append(req.Env, v)
		}
	}
	add := func(arg string) { req.Args = append(req.Args, []byte(arg)) }
	for _, word := range strings.Fields(of.CommandPath())[1:] {
		add(word)
	}
	written := strings.Fields(of.Annotations[writesFiles])
	flags, err := flagsAsGiven(of, c.Args)
	if err != nil {
		return nil, err
	}
	for _, given := range flags {
		if given.name == "box" {
			continue
		}
		before := "--" + given.name + "="
		if slices.Contains(written, given.name) {
			path, err := filepath.Abs(given.value)
			if err != nil {
				return nil, err
			}
			req.Files = append(req.Files, box.PassedFile{Arg: len(req.Args), Before: before,
				Path: path, Typed: given.value, Writes: true})
			given.value = path
		}
		add(before + given.value)
	}
	add("--")
	for _, arg := range of.Flags().Args() {
		if of.Annotations[readsPresets] != "" && presets.IsYAML(arg) {
			file, err := readPresetFile(arg)
			if err == nil {
				file.Arg = len(req.Args)
				req.Files = append(req.Files, *file)
			} else if !errors.Is(err, fs.ErrNotExist) { // else it may be a file of the box
				return nil, err
			}
		}
		add(arg)
	}
	return req, nil
}

// readPresetFile reads a preset, sweep or study file with the preset files beside it that it names.
// The error is an fs.ErrNotExist where there is no such file on this machine.
func readPresetFile(path string) (*box.PassedFile, error) {
	text, err := presets.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &box.PassedFile{Path: filepath.Base(path), Typed: path, Text: text,
		Beside: map[string][]byte{}}
	for _, name := range presets.NamedIn(path, text) {
		beside := filepath.Join(filepath.Dir(path), name)
		f.Beside[filepath.ToSlash(name)], err = presets.ReadFile(beside)
		if err != nil {
			return nil, fmt.Errorf("%s: %v", path, err)
		}
	}
	return f, nil
}

// forwardedVariables say what the terminal here is able to do, and what its user wants.
var forwardedVariables = []string{"TERM", "COLORTERM", "NO_COLOR", "DROLAB_ASCII"}

// givenFlag is a flag as it was given.
type givenFlag struct{ name, value string }

// flagsAsGiven returns the flags of a command line in their order, each with its text.
func flagsAsGiven(of *cobra.Command, args []string) (list []givenFlag, err error) {
	_, rest, err := of.Root().Find(args)
	if err != nil {
		return nil, err
	}
	err = of.Flags().ParseAll(rest, func(f *pflag.Flag, value string) error {
		list = append(list, givenFlag{f.Name, value})
		return nil
	})
	return list, err
}

// forwardedStream returns the writer for a stream of a box, of which out is the stream here. On a
// terminal, where a hostile box could steer it, the text is cleaned; elsewhere it stays as it is.
// flush writes what is held back.
func forwardedStream(to io.Writer, out *cell.Writer) (w io.Writer, flush func() error) {
	if _, _, terminal := terminalSize(to); !terminal {
		return to, func() error { return nil }
	}
	whole := &wholeText{to: out.ColourWriter(), over: out.Over}
	return whole, whole.flush
}

// wholeText passes text on in pieces that end neither within a character nor within a sequence that
// sets a colour. The text may write over lines that it has written before, as a meter does, and
// over no others.
type wholeText struct {
	to    io.Writer
	over  func(lines int, text string)
	lines int // behind the first one that may be written over
	rest  []byte
}

// Write implements io.Writer.
func (w *wholeText) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	n := wholeLength(text)
	w.rest = slices.Clone(text[n:])
	if err := w.write(text[:n]); err != nil {
		return 0, err
	}
	return len(p), nil
}

// write writes whole text.
func (w *wholeText) write(text []byte) error {
	for len(text) > 0 {
		before, lines, after, is := cell.CutOver(text)
		w.lines += bytes.Count(before, []byte("\n"))
		if len(before) > 0 {
			if _, err := w.to.Write(before); err != nil {
				return err
			}
		}
		if is {
			lines = min(lines, w.lines)
			w.lines -= lines
			w.over(lines, "")
		}
		text = after
	}
	return nil
}

func (w *wholeText) flush() error {
	text := w.rest
	w.rest = nil
	return w.write(text)
}

// wholeLength returns how much of a text is whole.
func wholeLength(text []byte) int {
	const longest = 32 // bytes of a sequence
	for n := max(0, len(text)-longest); n < len(text); n++ {
		rest := string(text[n:])
		begun := rest == "\r" || strings.HasPrefix(rest, "\r\x1b") && len(rest) < len("\r\x1b[J") ||
			rest[0] == '\x1b' && strings.Trim(rest[1:], "[0123456789;A\r\x1b") == ""
		if begun || utf8.RuneStart(text[n]) && !utf8.FullRune(text[n:]) {
			return n
		}
	}
	return len(text)
}

// PathHere returns the path of a file that a command has written. On the machine that has forwarded
// the command, it ends with the name of the box, and does not begin in a folder of that machine.
func (c *Console) PathHere(path string) string {
	if c.Forwarded.Box == "" {
		return path
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return path + " on box " + c.Forwarded.Box
}

// StatusError ends the program with an exit status of its own. A nil Err prints nothing.
type StatusError struct {
	Status int
	Err    error
}

func (e *StatusError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Status)
	}
	return e.Err.Error()
}

func (e *StatusError) Unwrap() error { return e.Err }

// NoLinkStatus is the exit status of a command that has reached no box, or has lost it.
const NoLinkStatus = 3

// ExitStatus returns the exit status for the error of a command, and the error to print, if any.
func ExitStatus(err error) (int, error) {
	var status *StatusError
	var link *box.LinkError
	list, several := err.(Failures)
	switch {
	case err == nil:
		return 0, nil
	case several && len(list) == 1:
		return ExitStatus(list[0])
	case errors.As(err, &status):
		return status.Status, status.Err
	case errors.As(err, &link):
		return NoLinkStatus, err
	}
	return 1, err
}

// completeBoxes offers the boxes that have a mirror.
func (c *Console) completeBoxes(*cobra.Command, []string, string) ([]string,
	cobra.ShellCompDirective) {
	return c.mirrored(), cobra.ShellCompDirectiveNoFileComp
}

// mirrored returns the names of the boxes that have a mirror.
func (c *Console) mirrored() []string {
	entries, _ := os.ReadDir(c.Mirrors) // without the folder there is no mirror
	names := lists.Map(entries, fs.DirEntry.Name)
	return slices.DeleteFunc(names, func(name string) bool { return box.CheckName(name) != nil })
}

// renamingWriter writes texts with the paths of forwarded files as they were typed on the machine
// that has forwarded the command.
type renamingWriter struct {
	to      io.Writer
	renamed *strings.Replacer
}

// renamePaths returns w, or a writer to w that renames paths.
func renamePaths(w io.Writer, paths []box.RenamedPath) io.Writer {
	if len(paths) == 0 {
		return w
	}
	pairs := make([]string, 0, 2*len(paths))
	for _, p := range paths {
		pairs = append(pairs, p.Path, p.Shown)
	}
	return &renamingWriter{w, strings.NewReplacer(pairs...)}
}

// Write implements io.Writer.
func (w *renamingWriter) Write(p []byte) (int, error) {
	if _, err := w.renamed.WriteString(w.to, string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
