package watch

import (
	"testing"

	"drolab/runner/record/recordtest"
)

func TestMain(m *testing.M) { recordtest.Main(m) }
