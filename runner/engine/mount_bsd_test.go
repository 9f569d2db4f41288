//go:build darwin || freebsd

package engine

import (
	"errors"
	"testing"
)

func bindMount(*testing.T, string, string) error { return errors.ErrUnsupported }
