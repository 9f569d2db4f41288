package plot

import "testing"

func TestPathIsBounded(t *testing.T) {
	p := new(Path)
	for i := range 100_000 {
		p.Append(float64(i), -float64(i))
		if p.Len() > pathPoints {
			t.Fatalf("%d points kept", p.Len())
		}
		if x, y, ok := p.Last(); !ok || x != float64(i) || y != -x {
			t.Fatalf("Last() = %v, %v, %v, want %d, %d, true", x, y, ok, i, -i)
		}
	}
	if p.Len() < pathPoints/2 {
		t.Errorf("only %d points kept", p.Len())
	}
}
