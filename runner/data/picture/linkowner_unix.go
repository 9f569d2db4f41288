//go:build unix

package picture

import (
	"io/fs"
	"os"
	"syscall"
)

// own reports whether a link belongs to the user or to the administrator. Such a link is followed
// wherever it leads, since the user has put it there: pictures that several people share often
// belong to somebody else. A link of another user, in a folder that others write to, could lead to
// pictures that this user alone may read.
func own(link fs.FileInfo) bool {
	of, ok := link.Sys().(*syscall.Stat_t)
	return ok && (int(of.Uid) == os.Getuid() || of.Uid == 0)
}
