package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"drolab/runner/disk"
)

// Names inside a runs folder. A dot hides them from the list of runs.
const (
	lockName = ".engine.lock"
	logName  = ".engine.log"

	socketsName = ".engine"
)

// maxPath is a length, in bytes, that every system accepts for the path of a socket.
const maxPath = 100

// address holds the paths of an engine's sockets.
type address struct {
	Control string `json:"control"`
	View    string `json:"view"`
}

// lockInfo is the description, in the lock file, of the engine that holds the lock.
type lockInfo struct {
	address
	PID     int       `json:"pid"`
	Host    string    `json:"host"` // the machine: the folder may be on a shared disk
	Version string    `json:"version"`
	Started time.Time `json:"started"`
}

// readLockInfo reads the info in the lock file of a runs folder; ok is false if there is none.
func readLockInfo(runsDir string) (i lockInfo, ok bool) {
	f, _, err := disk.OpenRegular(filepath.Join(runsDir, lockName))
	if err != nil {
		return i, false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxMessage))
	return i, err == nil && json.Unmarshal(b, &i) == nil && i.Control != ""
}

// newAddress returns the paths of the sockets for a runs folder. They are in the first usable one
// of folders, which is made if need be and belongs to this user alone. The error passed says why
// the folders before it were not used.
func newAddress(runtimeDir string, of runsFolder) (a address, passed error, err error) {
	for _, folder := range folders(runtimeDir, of.Path) {
		a = addressIn(folder, of.name())
		if len(a.View) > maxPath {
			err = fmt.Errorf("%s: too long for the path of a socket", a.View)
		} else if err = disk.MakeOwnFolder(folder); err == nil {
			return a, passed, nil
		}
		passed = errors.Join(passed, err)
	}
	return address{}, nil, fmt.Errorf("no place for the engine's socket "+
		"(set XDG_RUNTIME_DIR to a folder of yours): %w", passed)
}

// addresses lists the places where the engine of a runs folder may be: the place that the lock file
// names, and the places where an engine started from here would be. A lock file that nobody holds
// is ignored, because it may be left over or have come with a copied folder.
func addresses(runtimeDir string, of runsFolder) []address {
	var list []address
	if i, ok := readLockInfo(of.Path); ok && disk.Held(filepath.Join(of.Path, lockName)) {
		list = append(list, i.address)
	}
	for _, folder := range folders(runtimeDir, of.Path) {
		if a := addressIn(folder, of.name()); len(list) == 0 || list[0] != a {
			list = append(list, a)
		}
	}
	return list
}

// folders lists the folders where sockets may be: in runtimeDir ($XDG_RUNTIME_DIR), below /tmp and,
// in case another user has taken that name, beside the runs.
func folders(runtimeDir, runsDir string) []string {
	var list []string
	if info, err := os.Stat(runtimeDir); err == nil && info.IsDir() && filepath.IsAbs(runtimeDir) {
		list = append(list, filepath.Join(runtimeDir, "drolab"))
	}
	list = append(list, fmt.Sprintf("/tmp/drolab-%d", os.Getuid()))
	return append(list, filepath.Join(runsDir, socketsName))
}

func addressIn(folder, name string) address {
	return address{filepath.Join(folder, name+".sock"), filepath.Join(folder, name+".view.sock")}
}
