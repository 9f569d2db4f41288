package cell

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/charmbracelet/x/ansi"
)

// Writer is the writer that commands print to. It cleans all text but keeps lines, tabs and the
// styles of a theme, so that no command can forget to clean. Each Write must hold whole characters.
type Writer struct {
	to io.Writer
	// Width is the width at which longer lines are broken, between words; 0 breaks none. With a
	// width, each Write must hold whole lines.
	Width int
	// All says that tables are printed with all their rows. Others are kept short for a reader.
	All bool
	// Lost is the error of the first write that failed, as on a full disk. Most callers ignore the
	// errors of Write, and the command's exit status tells of this one.
	Lost atomic.Pointer[error]
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	return w.send(p, foldLines(cleanLines(string(p)), w.Width))
}

// send writes text, which stands for p. That the reader has left, as in | head, is no error. Only
// runs in this process meet it: other commands end there (SIGPIPE).
func (w *Writer) send(p []byte, text string) (int, error) {
	_, err := io.WriteString(w.to, text)
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return len(p), nil
	}
	w.Lost.CompareAndSwap(nil, &err)
	return 0, err
}

// cleanLines applies ForTerminal to text but keeps its lines and tabs.
func cleanLines(s string) string {
	var b strings.Builder
	for s != "" {
		at := strings.IndexAny(s, "\n\t")
		if at < 0 {
			return b.String() + ForTerminal(s)
		}
		b.WriteString(ForTerminal(s[:at]))
		b.WriteByte(s[at])
		s = s[at+1:]
	}
	return b.String()
}

// foldLines breaks lines of more than width cells between words. A continuation begins below the
// last column of its line; a column is what stands behind two blanks or more.
func foldLines(s string, width int) string {
	const least = 20 // cells for the continuation
	if width <= least {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if Width(line) <= width {
			continue
		}
		plain := ansi.Strip(line)
		indent := Width(plain) - Width(strings.TrimLeft(plain, " "))
		for at := 0; ; {
			n := strings.Index(plain[at:], "  ")
			if n < 0 {
				break
			}
			at += n
			rest := strings.TrimLeft(plain[at:], " ")
			if column := Width(plain) - Width(rest); column <= width-least && rest != "" {
				indent = column
			}
			at = len(plain) - len(rest)
		}
		head, rest := ansi.Cut(line, 0, indent), ansi.Cut(line, indent, Width(line))
		rest = ansi.WrapWc(rest, width-indent, "")
		lines[i] = head + strings.ReplaceAll(rest, "\n", "\n"+strings.Repeat(" ", indent))
	}
	return strings.Join(lines, "\n")
}

// Over writes text over the last lines of the screen, as many as lines says, and clears all of
// them. For 0 lines it clears the line that the cursor is on.
func (w *Writer) Over(lines int, text string) {
	home := "\r\x1b[J"
	if lines > 0 {
		home = fmt.Sprintf("\x1b[%dA", lines) + home
	}
	w.send(nil, home+cleanLines(text))
}

// overPattern matches what Over writes before its text.
var overPattern = regexp.MustCompile(`(?:\x1b\[([0-9]{1,4})A)?\r\x1b\[J`)

// CutOver cuts text that a Writer has written at the first place where Over was called for lines.
func CutOver(text []byte) (before []byte, lines int, after []byte, is bool) {
	at := overPattern.FindSubmatchIndex(text)
	if at == nil {
		return text, 0, nil, false
	}
	if at[2] >= 0 {
		lines, _ = strconv.Atoi(string(text[at[2]:at[3]])) // four digits
	}
	return text[:at[0]], lines, text[at[1]:], true
}

// ColourWriter returns a writer that lets colours and attributes through, for text that is the
// program's own. If w writes to a file, the result is that file, too, since the file decides
// whether there are colours.
func (w *Writer) ColourWriter() io.Writer {
	if f, ok := w.to.(*os.File); ok {
		return colourWriter{f, w}
	}
	return w
}

// colourWriter has what libraries ask of a file, to see whether it is a terminal. It has no method
// of the file that writes, since io.WriteString would use that.
type colourWriter struct {
	io.ReadCloser
	by *Writer
}

// Fd is the file's.
func (c colourWriter) Fd() uintptr { return c.by.to.(*os.File).Fd() }

// Write implements io.Writer.
func (c colourWriter) Write(p []byte) (int, error) {
	text := stylePattern.ReplaceAllString(string(p), ownPrefix+"${1}m")
	return c.by.send(p, foldLines(cleanLines(text), c.by.Width))
}

// stylePattern matches the sequences for colours and attributes, whoever wrote them.
var stylePattern = regexp.MustCompile(`\x1b\[([0-9;]*)m`)
