package data

import (
	"os"
	"path/filepath"
	"runtime"
)

// writeFile writes a file aside, to the disk, and gives it its name, so that a file of that name is always
// whole.
func writeFile(path string, b []byte) error {
	f, err := os.Create(path + ".part")
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(b); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(path+".part", path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder brings a folder's entries to the disk. Windows keeps no such promise and needs no such call.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
