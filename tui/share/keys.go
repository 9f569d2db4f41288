package share

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"

	gossh "golang.org/x/crypto/ssh"
)

// Key is a key that may look.
type Key struct {
	gossh.PublicKey
	Name string // the comment behind it, mostly whose it is
}

// mostKeys bounds the file of keys, in bytes.
const mostKeys = 1 << 20

// implied are the options of sshd(8) that hold here for everybody. A line with another
// one, as from= or expiry-time=, is an error: it would be believed to hold.
var implied = []string{"restrict", "no-agent-forwarding", "no-port-forwarding", "no-user-rc",
	"no-X11-forwarding"}

// Keys reads a file in the format of OpenSSH's authorized_keys. A file that is missing,
// that others can write or that has a line which is no key is an error that says so.
func Keys(path string) (keys []Key, err error) {
	text, err := readOwn(path, 0o022, mostKeys)
	if err != nil {
		return nil, err
	}
	for i, line := range bytes.Split(text, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		key, name, options, _, err := gossh.ParseAuthorizedKey(line)
		if err != nil {
			return nil, fmt.Errorf(
				"%s:%d: not a public key, as ssh-keygen writes them into .pub files", path, i+1)
		}
		for _, o := range options {
			if !slices.Contains(implied, o) {
				return nil, fmt.Errorf("%s:%d: option %s does not hold here: take the line out, "+
					"or the option", path, i+1, o)
			}
		}
		keys = append(keys, Key{key, name})
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf(
			"%s has no key: put a line into it for each who may look, their .pub file", path)
	}
	return keys, nil
}

// readOwn reads a file whose mode has none of some bits.
func readOwn(path string, bits fs.FileMode, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is missing: %w", path, fs.ErrNotExist)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > most:
		return nil, fmt.Errorf("%s is no file of at most %d bytes", path, most)
	case info.Mode()&bits != 0 && runtime.GOOS != "windows":
		return nil, fmt.Errorf("%s has mode %o, which gives too much to others: chmod %o it", path,
			info.Mode().Perm(), info.Mode().Perm()&^bits)
	}
	return os.ReadFile(path)
}
