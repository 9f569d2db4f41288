package bridge

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"drolab/runner"
)

// processOutput takes the output of a process: all of it goes to the log, and the end of its
// standard error is kept.
type processOutput struct {
	mu   *sync.Mutex // of the log
	log  io.Writer
	name string // begins each line in the log
	end  []byte
}

const mostEnd = 4 << 10 // bytes

// Write implements io.Writer, for the standard error.
func (p *processOutput) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end = append(p.end, b[max(0, len(b)-mostEnd):]...)
	p.end = p.end[max(0, len(p.end)-mostEnd):]
	p.pass(b)
	return len(b), nil
}

// pass writes to the log, with the name before each line.
func (p *processOutput) pass(b []byte) {
	if p.name != "" {
		text := strings.TrimSuffix(string(b), "\n")
		b = []byte(p.name + strings.ReplaceAll(text, "\n", "\n"+p.name) + "\n")
	}
	p.log.Write(b)
}

// stdoutWriter takes the standard output.
type stdoutWriter struct{ *processOutput }

// Write implements io.Writer.
func (t stdoutWriter) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass(b)
	return len(b), nil
}

// line returns the last line of the standard error that is not blank.
func (p *processOutput) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := bytes.TrimSpace(p.end)
	return runner.OneLine(string(last[bytes.LastIndexByte(last, '\n')+1:]), mostLine)
}

// mostLine bounds a line of a program in the cause of a failure.
const mostLine = 300 // runes
