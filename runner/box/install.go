package box

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// The scripts that run on a box stand between single quotes, so they have none, and no backslash:
// sh, bash, fish and csh all pass on such a text as it is.

// lookScript says what is on a box, a word and its value on each line.
const lookScript = `exec sh -c 'echo ` + Magic + `; echo system $(uname -sm); ` +
	`echo free $(df -Pk "$HOME" | tail -n 1); PATH=$HOME/.local/bin:$PATH; ` +
	`echo path $(command -v drolab); echo version $(drolab version 2>/dev/null | head -n 1); ` +
	`echo engine $(drolab engine status 2>/dev/null | head -n 1)'`

// speedScript reads its input.
const speedScript = `exec sh -c 'echo ` + Magic + `; cat > /dev/null; echo read'`

// installScript takes a program from its input, tries it, and then gives it its name.
const installScript = `exec sh -c 'echo ` + Magic + `; set -e; mkdir -p "$HOME/.local/bin"; ` +
	`cd "$HOME/.local/bin"; t=.drolab-install.$$; trap "rm -f $t" EXIT; gzip -dc > $t; ` +
	`chmod 755 $t; echo version $(./$t version | head -n 1); ./$t version > /dev/null; ` +
	`mv -f $t drolab; echo installed'`

// Site is what Look finds on a box.
type Site struct {
	System  string // as GOOS/GOARCH
	Free    int64  // bytes in the home folder; -1: not known
	Path    string // of its drolab; "": it has none
	Version string // of that
	Engine  string // what its engine says of itself; "": none runs
}

// Installer puts drolab on a box, by the user's ssh.
type Installer struct{ Program, Box string }

// Look looks at a box, and changes nothing there.
func (i *Installer) Look(ctx context.Context) (*Site, error) {
	values, err := i.converse(ctx, lookScript, nil)
	if err != nil {
		return nil, err
	}
	s := &Site{Free: -1, Path: values["path"], Engine: values["engine"]}
	s.Version = strings.TrimPrefix(values["version"], "drolab ")
	if fields := strings.Fields(values["free"]); len(fields) > 3 {
		if kib, err := strconv.ParseInt(fields[3], 10, 64); err == nil && kib >= 0 {
			s.Free = kib << 10
		}
	}
	s.System = systemOf(values["system"])
	return s, nil
}

// systemOf returns what uname -sm prints, as GOOS/GOARCH.
func systemOf(uname string) string {
	system, machine, _ := strings.Cut(strings.ToLower(uname), " ")
	known := map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64",
		"arm64": "arm64", "i686": "386", "armv7l": "arm"}
	if arch, ok := known[machine]; ok {
		machine = arch
	}
	return system + "/" + machine
}

// speedSample is what Pace sends. It is more than what a network takes in without sending it.
const speedSample = 1 << 20

// Pace measures how long it takes to send some bytes to a box, from two connections.
func (i *Installer) Pace(ctx context.Context, size int64) (time.Duration, error) {
	began := time.Now()
	if _, err := i.converse(ctx, speedScript, strings.NewReader("")); err != nil {
		return 0, err
	}
	login := time.Since(began)
	began = time.Now()
	sample := io.LimitReader(noise{}, speedSample)
	if _, err := i.converse(ctx, speedScript, sample); err != nil {
		return 0, err
	}
	sent := max(time.Since(began)-login, 0)
	return login + time.Duration(float64(sent)*float64(size)/speedSample), nil
}

// noise is text that no compression of ssh makes shorter.
type noise struct{}

// Read implements io.Reader.
func (noise) Read(p []byte) (int, error) {
	x := uint64(len(p)) | 1
	for i := range p {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		p[i] = byte(x)
	}
	return len(p), nil
}

// Install sends a program, compressed by gzip, and returns the version that it says there. The
// program that was there before stays unless the new one runs.
func (i *Installer) Install(ctx context.Context, packed io.Reader) (version string, err error) {
	values, err := i.converse(ctx, installScript, packed)
	if err != nil {
		return "", err
	}
	if _, done := values["installed"]; !done {
		return "", &LinkError{i.Box,
			errors.New("the connection was lost: nothing is changed there")}
	}
	return strings.TrimPrefix(values["version"], "drolab "), nil
}

// converse runs a script on the box, with input, and returns the lines of its output by their first
// words. The error is what the script or ssh said last.
func (i *Installer) converse(
	ctx context.Context, script string, input io.Reader,
) (map[string]string, error) {
	p, err := startSSH(ctx, i.Program, i.Box, script)
	if err != nil {
		return nil, &LinkError{i.Box, err}
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		if input != nil {
			_, _ = io.Copy(p.in, input) // if it fails, the script says why
		}
		p.in.Close()
	}()
	values, err := readLines(p.out)
	<-sent
	waited := p.cmd.Wait()
	if err == nil && waited == nil {
		return values, nil
	}
	if err == nil {
		err = waited
	}
	if said := p.words.String(); said != "" {
		err = explain(said, i.Box)
	}
	const ofSSH = 255 // the exit status of ssh where the script has not failed, but the connection
	var exit *exec.ExitError
	if errors.As(waited, &exit) && exit.ExitCode() != ofSSH {
		return nil, fmt.Errorf("box %s: %w", i.Box, err)
	}
	return nil, &LinkError{i.Box, err}
}

// readLines reads the lines behind the magic line.
func readLines(from io.Reader) (map[string]string, error) {
	in := bufio.NewReader(io.LimitReader(from, maxBanner+64<<10))
	if banner, err := skipBanner(in); err != nil {
		return nil, fmt.Errorf("no shell answers: %.200s", strings.TrimSpace(banner))
	}
	values := map[string]string{}
	for {
		line, err := in.ReadString('\n')
		if name, value, _ := strings.Cut(strings.TrimSpace(line), " "); name != "" {
			values[name] = value[:min(len(value), 500)]
		}
		if err != nil {
			return values, nil
		}
	}
}

// Pack compresses a program for Install.
func Pack(to io.Writer, program io.Reader) error {
	z := gzip.NewWriter(to)
	_, err := io.Copy(z, program)
	return errors.Join(err, z.Close())
}
