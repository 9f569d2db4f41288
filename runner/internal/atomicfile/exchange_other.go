//go:build !(linux || darwin)

package atomicfile

import "errors"

// Exchange implements Disk.
func (Root) Exchange(string, string) error { return errors.ErrUnsupported }
