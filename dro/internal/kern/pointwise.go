package kern

import (
	"fmt"
	"math"
)

// Pointwise is the activation function of a layer and its dropout: y = d·a(x). The factor d is
// drawn anew for each value: it is 0 with the probability of a drop, and 1/(1 − probability)
// otherwise. It is plain Go on every processor, for the small layers of a perceptron.
type Pointwise struct {
	curve     func(x float64) (y, slope float64) // nil: max(0, x)
	threshold uint64                             // a draw below it is a drop
	scale     float32
	slope     []float32 // dy/dx of the last Forward

	x, y, dx, dy []float32 // the running call
	key          uint64
	drop         bool
}

// NewPointwise returns the operation for n values. The activation is relu, tanh or gelu (exact:
// x·Φ(x)), and drop is the probability of a drop, below 1.
func NewPointwise(activation string, drop float64, n int) (*Pointwise, error) {
	p := &Pointwise{threshold: uint64(drop * (1 << 32)), scale: float32(1 / (1 - drop)),
		slope: Alloc(n)}
	switch activation {
	case "relu":
	case "tanh":
		p.curve = func(x float64) (y, slope float64) {
			y = math.Tanh(x)
			return y, 1 - y*y
		}
	case "gelu":
		p.curve = func(x float64) (y, slope float64) {
			phi := (1 + math.Erf(x/math.Sqrt2)) / 2
			return x * phi, phi + x*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)
		}
	default:
		return nil, fmt.Errorf("activation %.40q: expected relu, tanh or gelu", activation)
	}
	if !(drop >= 0 && drop < 1) {
		return nil, fmt.Errorf("dropout %v: expected a probability below 1", drop)
	}
	return p, nil
}

// Forward sets y from x. The key and the place of a value alone determine whether it drops. Without
// drop no value drops, and d is 1.
func (p *Pointwise) Forward(t *Team, y, x []float32, key uint64, drop bool) {
	p.x, p.y, p.key, p.drop = x, y, key, drop && p.threshold > 0
	p.run(t, (*pointForward)(p))
}

// Backward sets dx from dy, at the x of the last Forward.
func (p *Pointwise) Backward(t *Team, dx, dy []float32) {
	p.dx, p.dy = dx, dy
	p.run(t, (*pointBackward)(p))
}

// pointChunk is the number of values in a task: fewer than elementChunk, because each takes long.
const pointChunk = 2 << 10

func (p *Pointwise) run(t *Team, j job) {
	t.run(ceilDiv(len(p.slope), pointChunk), j)
	p.x, p.y, p.dx, p.dy = nil, nil, nil, nil
}

type pointForward Pointwise

func (p *pointForward) task(i int) {
	from, to := i*pointChunk, min((i+1)*pointChunk, len(p.slope))
	x, y, slope := p.x[from:to], p.y[from:to], p.slope[from:to]
	for k, v := range x {
		if p.curve == nil {
			y[k], slope[k] = 0, 0
			if v > 0 {
				y[k], slope[k] = v, 1
			}
			continue
		}
		a, b := p.curve(float64(v))
		y[k], slope[k] = float32(a), float32(b)
	}
	if !p.drop {
		return
	}
	for k := range y {
		d := p.scale
		if Mix(p.key+uint64(from+k))>>32 < p.threshold {
			d = 0
		}
		y[k], slope[k] = d*y[k], d*slope[k]
	}
}

type pointBackward Pointwise

func (p *pointBackward) task(i int) {
	from, to := i*pointChunk, min((i+1)*pointChunk, len(p.slope))
	dy, slope := p.dy[from:to], p.slope[from:to]
	for k, dx := 0, p.dx[from:to]; k < len(dx); k++ {
		dx[k] = slope[k] * dy[k]
	}
}

// Mix is the output function of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): it turns successive
// keys into random bits.
func Mix(key uint64) uint64 {
	z := key * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
