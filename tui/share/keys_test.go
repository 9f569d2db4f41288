package share

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	gossh "golang.org/x/crypto/ssh"
)

func TestKeys(t *testing.T) {
	key := strings.TrimSpace(string(gossh.MarshalAuthorizedKey(newKey(t).PublicKey())))
	path := filepath.Join(t.TempDir(), "keys")
	for text, want := range map[string]string{
		"":                                   "has no key",
		"# only a comment\n\n":               "has no key",
		key + " alice\n" + key:               "",
		"restrict,no-port-forwarding " + key: "",
		key + "\nnonsense here":              "keys:2: not a public key",
		`from="10.0.0.1" ` + key:             `keys:1: option from="10.0.0.1" does not apply here`,
		"cert-authority " + key:              "keys:1: option cert-authority does not apply here",
		strings.Repeat("#", mostKeys+1):      "is not a file of at most",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		keys, err := Keys(path)
		if fine := err == nil && len(keys) > 0; want == "" && !fine ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40q: %d keys, %v, want %q", text, len(keys), err, want)
		}
	}
	if err := os.WriteFile(path, []byte(key+" alice"), 0o600); err != nil {
		t.Fatal(err)
	}
	keys, err := Keys(path)
	if err != nil {
		t.Fatalf("Keys(%q): %v", path, err)
	}
	if len(keys) != 1 || keys[0].Name != "alice" {
		t.Errorf("Keys(%q) = %v, want one key of alice", path, keys)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(path, 0o620); err != nil {
		t.Fatal(err)
	}
	if _, err := Keys(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("Keys of a file that others write = %v, want an error with chmod 600", err)
	}
}

// TestHostKey: the key of the host is made once, and only its owner can read it.
func TestHostKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "host")
	first, print, err := HostKey(path)
	if err != nil {
		t.Fatal(err)
	}
	again, same, err := HostKey(path)
	if err != nil {
		t.Fatalf("HostKey(%q), the second time: %v", path, err)
	}
	if !bytes.Equal(first, again) {
		t.Error("the second time the key of the host is another")
	}
	if print != same {
		t.Errorf("the fingerprint is %s, then %s, want it the same", print, same)
	}
	if !strings.HasPrefix(print, "SHA256:") {
		t.Errorf("the fingerprint is %s, want SHA256: before it", print)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("the folder has %v, want the key alone", entries)
	}
	if err := makeKey(path); err != nil { // as another process might at the same moment
		t.Fatal(err)
	}
	again, _, err = HostKey(path)
	if err != nil {
		t.Fatalf("HostKey(%q), the third time: %v", path, err)
	}
	if !bytes.Equal(first, again) {
		t.Error("a key is replaced")
	}
	if runtime.GOOS == "windows" {
		return
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("the key has the mode %v, want 0600", mode)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, _, err := HostKey(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("HostKey of a key that others read = %v, want an error with chmod 600", err)
	}
}

// TestHostKeyThatCannotBeWritten: a home that cannot be written is named with the remedy.
func TestHostKeyThatCannotBeWritten(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // links need a right there
	}
	home := filepath.Join(t.TempDir(), "home")
	if err := os.Symlink(home+".gone", home); err != nil { // no folder can be made in it
		t.Fatal(err)
	}
	_, _, err := HostKey(filepath.Join(home, "share", "host"))
	if err == nil {
		t.Fatal("HostKey in a folder that cannot be made gives no error")
	}
	for _, want := range []string{home, "name another file with --host-key"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %q, want %q in it", err, want)
		}
	}
}

func TestHostKeyThatIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "host")
	if err := os.WriteFile(path, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := HostKey(path); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("HostKey(%q) = %v, want an error with remove it", path, err)
	}
}
