package bridge

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/spec"
	"drolab/runner/train"
)

// Approvals is the folder that lists the programs that this user has started by naming them. It is
// outside of folders of runs, which may come from a stranger. An empty path approves nothing.
type Approvals string

func (a Approvals) file() string { return filepath.Join(string(a), "approved") }

// Checksum returns the checksum of a program's file, in hexadecimal. The file has to be a regular
// one.
func Checksum(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: expected a program's file", path)
	}
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// Approve notes that the user has named the program in its present version.
func (a Approvals) Approve(path string) error {
	sum, err := Checksum(path)
	if err != nil {
		return err
	}
	return a.Admit(Approval{path, sum})
}

// ApproveAs notes that the user has seen the path and this checksum of the program, and said yes. A
// file that has changed since is an error, too.
func (a Approvals) ApproveAs(path, sum string) error {
	if now, err := Checksum(path); err != nil {
		return err
	} else if now != sum {
		return fmt.Errorf("%s: it was changed at this moment", path)
	}
	return a.Admit(Approval{path, sum})
}

// Approval is a program's file as its user has started it.
type Approval struct{ Path, Sum string }

// line returns the line of a program in the file: its checksum and its path, quoted to be one line.
func (x Approval) line() string { return x.Sum + " " + strconv.Quote(x.Path) }

// String returns the approval in the form that ParseApproval reads.
func (x Approval) String() string { return x.Sum + " " + x.Path }

// ParseApproval reads a checksum, a blank and a path.
func ParseApproval(text string) (Approval, error) {
	sum, path, _ := strings.Cut(text, " ")
	if len(sum) != 2*sha256.Size || !filepath.IsAbs(path) {
		return Approval{}, fmt.Errorf("%.100q: expected a checksum and the whole path of a program",
			text)
	}
	return Approval{path, sum}, nil
}

// Admit notes that the user has approved a program elsewhere, whatever its file is here.
func (a Approvals) Admit(x Approval) error {
	if a.has(x) {
		return nil
	}
	if err := a.add(x); err != nil {
		return fmt.Errorf("the approval of a program cannot be written: %w: make %s a folder that "+
			"you can write to, or set XDG_STATE_HOME to another", err, string(a))
	}
	return nil
}

// add writes the line of an approval.
func (a Approvals) add(x Approval) error {
	if err := os.MkdirAll(string(a), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(a.file(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(x.line() + "\n")
	return errors.Join(err, f.Close())
}

// Check returns the program's checksum, or an error with the remedy if the user has not started
// this very file.
func (a Approvals) Check(path string) (sum string, err error) {
	sum, started, err := a.Status(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the program %s is not there", path)
	case err != nil:
		return "", err
	case !started:
		return "", fmt.Errorf("you %w this version of the program %s: read it, then approve it "+
			"with drolab trust %s", runner.ErrUnapproved, path, runner.ShellWord(path))
	}
	return sum, nil
}

// Status returns the program's checksum, and whether the user has started this very file.
func (a Approvals) Status(path string) (sum string, started bool, err error) {
	sum, err = Checksum(path)
	return sum, err == nil && a.has(Approval{path, sum}), err
}

// Approves reports whether the user has approved the file of this path with this text.
func (a Approvals) Approves(path string, text []byte) bool {
	return a.has(Approval{path, fmt.Sprintf("%x", sha256.Sum256(text))})
}

// has reports whether the file lists a program. A damaged line approves nothing.
func (a Approvals) has(x Approval) bool {
	if a == "" {
		return false
	}
	text, _ := os.ReadFile(a.file())
	return slices.Contains(strings.Split(string(text), "\n"), x.line())
}

// Start returns how to start the program of s, which this user must have started before, and what a
// run records of the program.
func (a Approvals) Start(
	s *spec.Spec, m *runner.ProgramMeans,
) (p runner.Program, start Start, err error) {
	named, ok := s.Program()
	if !ok || !filepath.IsAbs(named.Path) {
		return p, start, fmt.Errorf("model: %s: expected program:PATH with the whole path", s.Model)
	}
	p = runner.Program{Path: named.Path, Arguments: named.Words}
	if p.SHA256, err = a.Check(named.Path); err != nil {
		return p, start, err
	}
	start = Start{Program: named, Spec: s}
	if m != nil {
		start.Python, start.Env = m.Python, m.Env
	}
	if start.Procs, err = named.Procs(); err != nil {
		return p, start, err
	}
	p.Processes = start.Procs
	if filepath.Ext(named.Path) == ".py" {
		if start.Python == "" {
			if start.Python, err = exec.LookPath("python3"); err != nil {
				return p, start, errors.New("no python3 is in the PATH: a program that ends " +
					"in .py needs it")
			}
		}
		p.Interpreter = start.Python
	}
	return p, start, nil
}

// Measuring starts the program of a run, to measure checkpoints with it. It returns the run's
// samples and a function that returns the network. The program ends when the samples or the network
// are closed, or with ctx.
func (a Approvals) Measuring(
	ctx context.Context, m *runner.Meta, threads int,
) (*data.Dataset, train.NewNetwork, error) {
	if m.Spec.IsScript() {
		return nil, nil, fmt.Errorf("run %s has its network and data in a script: drolab show has "+
			"what run.evaluate gave", m.ID)
	}
	if a == "" {
		return nil, nil, fmt.Errorf("run %s trains a program, and a read-only view starts none",
			m.ID)
	}
	p, start, err := a.Start(&m.Spec, nil)
	if err == nil {
		err = start.Outside()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("run %s: %w", m.ID, err)
	}
	start.Purpose, start.Threads = Evaluating, max(1, threads)
	n, d, err := open(ctx, start, m.Checksum)
	if err != nil {
		os.RemoveAll(start.Scratch)
		return nil, nil, fmt.Errorf("run %s: %w", m.ID, err)
	}
	if then := m.Program; then != nil && then.SHA256 != p.SHA256 {
		d.Notes = append(d.Notes, fmt.Sprintf("%s is not the file that the run was started with: "+
			"its numbers may differ", filepath.Base(p.Path)))
	}
	d.Release = n.Close
	network := func(*spec.Spec, *data.Dataset, int) (train.Network, error) { return n, n.Err() }
	return d, network, nil
}
