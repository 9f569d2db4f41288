package kern

import (
	"math"
	"slices"
	"testing"
)

// Values agree with float64, and slopes with differences of the values.
func TestPointwise(t *testing.T) {
	const n, h = 3*pointChunk + 5, 1e-6
	for name, f := range map[string]func(float64) float64{
		"relu": func(x float64) float64 { return max(0, x) },
		"tanh": func(x float64) float64 { return 1 - 2/(math.Exp(2*x)+1) },
		"gelu": func(x float64) float64 { return x * math.Erfc(-x/math.Sqrt2) / 2 },
	} {
		p, err := NewPointwise(name, 0, n)
		if err != nil {
			t.Fatal(err)
		}
		x, y, dx, dy := make([]float32, n), make([]float32, n), make([]float32, n), ones(n)
		for i := range x {
			x[i] = float32(i)/n*12 - 6.0001
		}
		team := NewTeam(3)
		p.Forward(team, y, x, 1, true)
		p.Backward(team, dx, dy)
		team.Close()
		for i, v := range x {
			v := float64(v)
			slope := (f(v+h) - f(v-h)) / (2 * h)
			if math.Abs(f(v)-float64(y[i])) > 1e-6 || math.Abs(slope-float64(dx[i])) > 1e-6 {
				t.Fatalf("%s of %v: %v with the slope %v, want %v and %v", name, v, y[i], dx[i],
					f(v), slope)
			}
		}
	}
	if _, err := NewPointwise("swish", 0, 1); err == nil {
		t.Error("swish is an activation")
	}
	if _, err := NewPointwise("relu", 1, 1); err == nil {
		t.Error("all values are dropped")
	}
}

// Each value drops with the given probability, whatever its neighbours do. The key decides which
// values drop, not the number of threads. Gradients drop with their values.
func TestDropout(t *testing.T) {
	const n, drop = 40_000, .3
	x, y := ones(n), make([]float32, n)
	draw := func(key uint64, threads int) []float32 {
		p, err := NewPointwise("relu", drop, n)
		if err != nil {
			t.Fatal(err)
		}
		team, dx := NewTeam(threads), make([]float32, n)
		defer team.Close()
		p.Forward(team, y, x, key, true)
		p.Backward(team, dx, x)
		if !slices.Equal(dx, y) {
			t.Error("the gradient of ones is not what their values are scaled by")
		}
		return slices.Clone(y)
	}
	a := draw(Mix(1), 1)
	if !slices.Equal(a, draw(Mix(1), 4)) {
		t.Error("other threads, other values")
	}
	b, zeros, both, twice := draw(Mix(2), 1), 0.0, 0.0, 0.0
	for i, v := range a {
		switch {
		case v == 0:
			zeros++
			if b[i] == 0 {
				both++
			}
			if i > 0 && a[i-1] == 0 {
				twice++
			}
		case v != float32(1/(1-drop)):
			t.Fatalf("a value is %v", v)
		}
	}
	for what, c := range map[string][2]float64{
		"values": {zeros, drop}, "values under two keys": {both, drop * drop},
		"neighbours": {twice, drop * drop}, // nearly independent
	} {
		if off := math.Abs(c[0]-n*c[1]) / math.Sqrt(n*c[1]*(1-c[1])); off > 5 {
			t.Errorf("%v of %d %s dropped, want a share of %v", c[0], n, what, c[1])
		}
	}
}

func ones(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = 1
	}
	return x
}
