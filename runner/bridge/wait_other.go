//go:build !unix

package bridge

import "io"

func soon(in io.Reader) io.Reader { return in }
