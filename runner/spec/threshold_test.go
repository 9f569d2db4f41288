package spec

import (
	"testing"

	"drolab/runner/measure"
)

// TestThresholdTexts: a threshold is a JSON number between 0 and 1 or val_f1, and 0.5 sets none.
func TestThresholdTexts(t *testing.T) {
	for _, c := range []struct {
		text string
		ok   bool
		want measure.Number // as measures have it
		by   bool
	}{
		{text: `.3`},
		{text: `0.3`, ok: true, want: measure.Num(.3)},
		{text: `0`},
		{text: `1`},
		{text: `"val_f2"`},
		{text: `"val_f1"`, ok: true, by: true},
		{text: `0.5`, ok: true},
	} {
		s := Defaults()
		if err := s.Assign("threshold", []byte(c.text)); (err == nil) != c.ok {
			t.Errorf("Assign(threshold, %s) = %v, want success: %v", c.text, err, c.ok)
		}
		if !c.ok {
			continue
		}
		if set := c.by || c.want.Applies(); s.Threshold.IsSet() != set {
			t.Errorf("threshold %s: IsSet() = %v, want %v", c.text, !set, set)
		}
		got := s.MeasureSettings()
		if got.Threshold != c.want {
			t.Errorf("threshold %s: measures have %v, want %v", c.text, got.Threshold, c.want)
		}
		if got.ByVal != c.by {
			t.Errorf("threshold %s: ByVal of measures is %v, want %v", c.text, got.ByVal, c.by)
		}
	}
}
