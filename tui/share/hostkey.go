package share

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	gossh "golang.org/x/crypto/ssh"
)

// HostKey returns the key in a file, in PEM, and its fingerprint. Where there is no file
// it is made, for its owner only: clients know the machine by it from then on.
func HostKey(path string) (key []byte, fingerprint string, err error) {
	const most = 1 << 14
	key, err = readOwn(path, 0o077, most)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeKey(path); err == nil {
			key, err = readOwn(path, 0o077, most)
		}
	}
	if err != nil {
		return nil, "", fmt.Errorf("the host key: %w", err)
	}
	signer, err := gossh.ParsePrivateKey(key)
	if err != nil {
		return nil, "", fmt.Errorf("the host key %s: %w: remove it, and another is made", path, err)
	}
	return key, gossh.FingerprintSHA256(signer.PublicKey()), nil
}

// makeKey writes a new key aside, and links it to its name when it is on the disk: what
// another process has put there meanwhile stays.
func makeKey(path string) error {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	block, err := gossh.MarshalPrivateKey(private, "drolab share")
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new-hostkey-") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(pem.EncodeToMemory(block))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := give(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(dir)
}

// give gives a file its name, if nobody has it: by a second one or, on file systems
// without, in two steps.
func give(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	if _, err := os.Lstat(to); err == nil {
		return nil
	}
	return os.Rename(from, to)
}

// syncFolder makes a name survive a power cut, where the system lets folders be flushed.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
