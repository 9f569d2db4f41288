package sweep

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	var p Pace
	now := time.Unix(0, 0)
	if _, ok := p.Left(10); ok {
		t.Error("nothing was seen, and the rest is known")
	}
	for range 2 {
		p.Add(now, 1)
		now = now.Add(time.Minute)
	}
	if _, ok := p.Left(10); ok {
		t.Error("nothing has come on, and the rest is known")
	}
	p.Add(now, 5) // 4 in two minutes
	if left, ok := p.Left(15); !ok || left != 5*time.Minute {
		t.Errorf("%v, %v: want 5 minutes", left, ok)
	}
	for i := range 1000 { // the past is forgotten: one a minute
		now = now.Add(time.Minute)
		p.Add(now, 6+float64(i))
	}
	if left, ok := p.Left(1015); !ok || left != 10*time.Minute {
		t.Errorf("%v, %v: want 10 minutes", left, ok)
	}
	if left, _ := p.Left(0); left != 0 {
		t.Errorf("%v are left of nothing", left)
	}
}
