//go:build !unix

package frame

import "io"

func soon(in io.Reader) io.Reader { return in }
