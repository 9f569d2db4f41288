package share

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"drolab/runner/disk"

	gossh "golang.org/x/crypto/ssh"
)

// Key is a key whose owner may look.
type Key struct {
	gossh.PublicKey
	Name string // the comment after the key, mostly its owner
}

// mostKeys is the greatest size of the file of keys, in bytes.
const mostKeys = 1 << 20

// impliedOptions lists the options of sshd(8) that hold here for everybody. A line with another
// option, such as from= or expiry-time=, is an error, because its author would believe that the
// option holds.
var impliedOptions = []string{"restrict", "no-agent-forwarding", "no-port-forwarding", "no-user-rc",
	"no-X11-forwarding"}

// Keys reads a file in the format of OpenSSH's authorized_keys. It returns an error if the file is
// missing, if others can write it, or if a line is not a key.
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
			if !slices.Contains(impliedOptions, o) {
				return nil, fmt.Errorf("%s:%d: option %s does not apply here: remove the "+
					"line or the option", path, i+1, o)
			}
		}
		keys = append(keys, Key{key, name})
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf(
			"%s has no key: add one line per viewer, from their .pub files", path)
	}
	return keys, nil
}

// readOwn reads a file of at most this many bytes whose mode has none of these bits.
func readOwn(path string, bits fs.FileMode, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is missing: %w", path, fs.ErrNotExist)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > most:
		return nil, fmt.Errorf("%s is not a file of at most %d bytes", path, most)
	case info.Mode()&bits != 0 && runtime.GOOS != "windows":
		return nil, fmt.Errorf("%s has mode %o, which others can use: chmod %o it", path,
			info.Mode().Perm(), info.Mode().Perm()&^bits)
	}
	return os.ReadFile(path)
}

// HostKey returns the key in a file, in PEM, and its fingerprint. If the file is missing, HostKey
// makes a key, which only the file's owner can read. Clients know the machine by it from then on.
func HostKey(path string) (key []byte, fingerprint string, err error) {
	const most = 1 << 14
	key, err = readOwn(path, 0o077, most)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeKey(path); err != nil {
			return nil, "", fmt.Errorf("the host key cannot be written: %w: name another file "+
				"with --host-key", err)
		}
		key, err = readOwn(path, 0o077, most)
	}
	if err != nil {
		return nil, "", fmt.Errorf("the host key: %w", err)
	}
	signer, err := gossh.ParsePrivateKey(key)
	if err != nil {
		return nil, "", fmt.Errorf("the host key %s: %w: remove it, and a new one is made", path,
			err)
	}
	return key, gossh.FingerprintSHA256(signer.PublicKey()), nil
}

// makeKey writes a new key. A key that another process has put there meanwhile stays.
func makeKey(path string) error {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	block, err := gossh.MarshalPrivateKey(private, "drolab share")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	err = disk.Files{}.AddText(path, pem.EncodeToMemory(block))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
