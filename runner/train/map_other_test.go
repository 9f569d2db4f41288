//go:build !linux

package train

import (
	"testing"

	"drolab/runner/data"
)

// newMapped skips the benchmark: only Linux's syscall package can map files and advise on them.
func newMapped(b *testing.B, _ int) (data.Source, error) {
	b.Skip("not measured on this system")
	return nil, nil
}
