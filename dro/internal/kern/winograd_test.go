package kern

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"drolab/dro/testsize"
)

// winogradCases are geometries that leave remainders: channels beside tiles, blocks beside images,
// maps of one square, maps whose tasks take a part of the channels, and another padding.
var winogradCases = []convCase{
	{1, ConvConfig{In: Shape{1, 2, 2}, Out: 1, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1}},
	{7, ConvConfig{In: Shape{3, 10, 8}, Out: 5, KernelHeight: 3, KernelWidth: 3, Stride: 1, Pad: 1,
		ReLU: true}},
	{130, ConvConfig{In: Shape{5, 4, 4}, Out: 7, KernelHeight: 3, KernelWidth: 3, Stride: 1,
		Pad: 1}},
	{33, ConvConfig{In: Shape{16, 6, 8}, Out: 19, KernelHeight: 3, KernelWidth: 3, Stride: 1,
		ReLU: true}},
	{20, ConvConfig{In: Shape{16, 16, 12}, Out: 16, KernelHeight: 3, KernelWidth: 3, Stride: 1,
		Pad: 1}},
	{70, ConvConfig{In: Shape{35, 4, 4}, Out: 130, KernelHeight: 3, KernelWidth: 3, Stride: 1,
		Pad: 1, ReLU: true}},
	{64, ConvConfig{In: Shape{130, 4, 2}, Out: 34, KernelHeight: 3, KernelWidth: 3, Stride: 1,
		Pad: 2}},
}

func TestWinogradAgainstFloat64(t *testing.T) {
	for _, tc := range winogradCases {
		t.Run(caseName(tc.images, tc.cfg), func(t *testing.T) {
			p := newConvProblem(t, rand.New(rand.NewPCG(1, 2)), tc.compared(), tc.cfg)
			eachISA(t, func(t *testing.T, isa ISA) { p.checkWinograd(t, isa) })
		})
	}
}

// checkWinograd compares both directions on isa with the float64 results.
func (p *convProblem) checkWinograd(t *testing.T, isa ISA) {
	r := rand.New(rand.NewPCG(3, 4))
	c := must(NewConv(isa, p.b, p.cfg)).Winograd(NewScratch(1))
	x, dy := packed(t, r, p.b, p.cfg.In, p.x), packed(t, r, p.b, p.out, p.dy)
	zeroPadding(p.b, dy)

	y := guarded(t, p.b.Len(p.out))
	c.Forward(nil, y, x, p.w, p.bias)
	near(t, "y", gather(p.b, p.out, y), p.y.value, p.y.scale)

	dx, sum := guarded(t, len(x)), guarded(t, len(x))
	c.BackwardData(nil, dx, dy, p.w, nil, nil)
	near(t, "dx", gather(p.b, p.cfg.In, dx), p.dx.value, p.dx.scale)
	act, plus := random(t, r, len(x)), random(t, r, len(x))
	c.BackwardData(nil, sum, dy, p.w, act, plus)
	for i := range sum {
		if want := (dx[i] + plus[i]) * boolFloat(act[i] > 0); sum[i] != want {
			t.Fatalf("masked dx[%d] with a sum = %v, want %v", i, sum[i], want)
		}
	}

	dw, db := guarded(t, len(p.w)), guarded(t, p.cfg.Out)
	for _, plan := range []*outerPlan{c.outer, newOuterPlan(c.Conv)} {
		if c.outer = plan; plan != nil {
			c.grad, c.vectorsGrad = newWinogradGrad(c), nil
		}
		c.BackwardWeights(nil, dw, db, x, dy, false)
		near(t, "dw", dw, p.dw.value, p.dw.scale)
		near(t, "db", db, p.db.value, p.db.scale)
	}
	twice, bias := slices.Clone(dw), slices.Clone(db)
	c.BackwardWeights(nil, twice, bias, x, dy, true)
	near(t, "dw, twice", halved(twice), p.dw.value, p.dw.scale)
	near(t, "db, twice", halved(bias), p.db.value, p.db.scale)
}

// TestWinogradSameBits checks that neither the number of threads nor memory that others have used
// changes the bits.
func TestWinogradSameBits(t *testing.T) {
	for _, tc := range testsize.Few(1, winogradCases[4:6]...) {
		eachISA(t, func(t *testing.T, isa ISA) {
			r, b := rand.New(rand.NewPCG(5, 6)), NewBatch(tc.images)
			c := must(NewConv(isa, b, tc.cfg)).Winograd(NewScratch(3))
			x, dy := random(t, r, b.Len(tc.cfg.In)), random(t, r, b.Len(c.Out()))
			w, bias := random(t, r, c.weightLen()), random(t, r, tc.cfg.Out)
			wantY, wantX := guarded(t, len(dy)), guarded(t, len(x))
			c.Forward(nil, wantY, x, w, bias)
			c.BackwardData(nil, wantX, dy, w, x, nil)
			wantW := guarded(t, len(w))
			c.BackwardWeights(nil, wantW, nil, x, dy, false)
			for threads := 1; threads <= 3; threads++ {
				team := NewTeam(threads)
				defer team.Close()
				for range repeats(isa) {
					y, dx := guarded(t, len(dy)), guarded(t, len(x))
					c.Forward(team, y, x, w, bias)
					c.BackwardData(team, dx, dy, w, x, nil)
					dw := guarded(t, len(w))
					c.BackwardWeights(team, dw, nil, x, dy, false)
					sameBits(t, fmt.Sprintf("dw on %d threads", threads), dw, wantW)
					sameBits(t, fmt.Sprintf("y on %d threads", threads), y, wantY)
					sameBits(t, fmt.Sprintf("dx on %d threads", threads), dx, wantX)
				}
			}
		})
	}
}

// TestWinogradTiles checks that the transformations of every instruction set have the bits of the
// reference.
func TestWinogradTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const n, apart = 5 * vector, 6 * vector
	list := func() (all [windowSide][]float32) {
		for k := range all {
			all[k] = random(t, r, n)
		}
		return all
	}
	two := func(l [windowSide][]float32) [squareSide][]float32 { return [2][]float32{l[0], l[1]} }
	a, b, plus, mask := list(), list(), two(list()), two(list())
	m, y := random(t, r, 2*windowArea*apart), two(list())
	eachISA(t, func(t *testing.T, isa ISA) {
		same := func(what string, size int, tile func(out []float32, isa ISA)) {
			t.Helper()
			sameTile(t, isa, what, size, tile)
		}
		for plus := range 2 {
			same("windows", windowSide*apart, func(v []float32, isa ISA) {
				(&windowTile{a: a, b: b, v: v, n: n, apart: apart, plus: plus}).run(isa)
			})
		}
		for with := -1; with <= 1; with++ {
			same("squares' windows", windowSide*apart, func(p []float32, isa ISA) {
				(&spreadTile{a: two(a), b: two(b), p: p, n: n, apart: apart, with: with}).run(isa)
			})
			for way := range 8 {
				tile := squareTile{m: m, n: n, apart: apart, start: with}
				tile.last, tile.relu = min(way, 1), way&1
				if way&2 != 0 {
					tile.plus = plus
				}
				if way&4 != 0 {
					tile.mask = mask
				}
				same(fmt.Sprintf("squares, start %d, way %d", with, way), 2*n,
					func(out []float32, isa ISA) {
						copy(out, slices.Concat(y[0], y[1]))
						tile.y = [squareSide][]float32{out[:n], out[n:]}
						tile.run(isa)
					})
			}
		}
		same("kernels", windowArea*apart, func(u []float32, isa ISA) {
			(&kernelTile{g: m, u: u, n: n, apart: apart}).run(isa)
		})
		same("gradients", kernelArea*n, func(g []float32, isa ISA) {
			(&foldTile{g: g, u: m, n: n, apart: apart, lots: 2, lot: windowArea * apart}).run(isa)
		})
	})
}

// sameTile compares what a tile and its reference write into memory of their own.
func sameTile(t *testing.T, isa ISA, what string, size int, tile func(out []float32, isa ISA)) {
	t.Helper()
	want, got := guarded(t, size), guarded(t, size)
	tile(want, Generic)
	tile(got, isa)
	sameBits(t, what, got, want)
}

// TestWinogradVectorTiles checks that the kernels for one vector of lanes have the bits of the
// reference, in which a product is rounded once.
func TestWinogradVectorTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const lanes, lane, channels = 3 * vector, vector, 5
	list := func(n int) (all [windowArea][]float32) {
		for k := range all {
			all[k] = random(t, r, n)
		}
		return all
	}
	x, apart := list(channels*lanes), vectorApart(channels)
	square := [squareSide * squareSide][]float32(x[:squareSide*squareSide])
	m := random(t, r, windowArea*vectorApart(13))
	col, row := channels*lanes, 2*channels*lanes
	plus, mask := random(t, r, 2*row), random(t, r, 2*row)
	eachISA(t, func(t *testing.T, isa ISA) {
		same := func(what string, size int, tile func(out []float32, isa ISA)) {
			t.Helper()
			sameTile(t, isa, what, size, tile)
		}
		for line := range windowSide {
			same("windows", windowSide*apart, func(v []float32, isa ISA) {
				(&vectorWindowTile{x: x, v: v, line: line, lane: lane, channels: channels,
					lanes: lanes, apart: apart}).run(isa)
			})
			same("squares' windows", windowSide*apart, func(p []float32, isa ISA) {
				(&vectorSpreadTile{y: square, p: p, line: line, lane: lane, channels: channels,
					lanes: lanes, apart: apart}).run(isa)
			})
		}
		for way := range 8 {
			tile := vectorSquareTile{m: m, relu: way & 1, lane: lane, channels: channels,
				lanes: lanes, col: col, row: row, apart: apart}
			if way&2 != 0 {
				tile.plus = plus
			}
			if way&4 != 0 {
				tile.mask = mask
			}
			same(fmt.Sprintf("squares, way %d", way), 2*row, func(y []float32, isa ISA) {
				tile.y = y
				tile.run(isa)
			})
		}
		for rows := 1; rows <= 13; rows++ {
			checkProducts(t, isa, r, rows)
		}
	})
}

// checkProducts compares the products of so many rows with the reference. They are exact, because
// fused multiplications would round otherwise than plain Go does.
func checkProducts(t *testing.T, isa ISA, r *rand.Rand, rows int) {
	t.Helper()
	const channels = 5
	whole := func(n int) []float32 {
		s := Alloc(n)
		for i := range s {
			s[i] = float32(r.IntN(19) - 9)
		}
		return s
	}
	tile := vectorProductTile{v: whole(windowSide * vectorApart(channels)), w: whole(400),
		bias: whole(rows), heights: tileHeights(rows), count: windowSide, channels: channels,
		row: 1, step: rows}
	for k, w := range []int{7, 90, 180, 300} {
		tile.places[k] = vectorPlace{k * vectorApart(rows), (windowSide - 1 - k) * 48, w}
	}
	start := whole(windowSide * vectorApart(rows))
	for _, way := range []struct{ biasLeft, add int }{{0, 0}, {3, 0}, {0, 1}} {
		want, got := slices.Clone(start), slices.Clone(start)
		tile.biasLeft, tile.add = way.biasLeft, way.add
		tile.m = want
		tile.generic()
		tile.m = got
		tile.run(isa)
		sameBits(t, fmt.Sprintf("products of %d rows, %+v", rows, way), got, want)
	}
}

func TestTileHeights(t *testing.T) {
	for n := 1; n < 100; n++ {
		heights := tileHeights(n)
		tiles := heights[:len(heights)-1]
		sum := 0
		for _, h := range tiles {
			sum += h
		}
		if sum != n || len(tiles) != ceilDiv(n, tileRows) || heights[len(tiles)] != 0 ||
			slices.Max(tiles)-slices.Min(tiles) > 1 || slices.Max(tiles) > tileRows {
			t.Errorf("%d rows: tiles of %v", n, heights)
		}
	}
}

func TestWinogradPropagatesNaN(t *testing.T) {
	cfg := ConvConfig{In: Shape{2, 4, 4}, Out: 7, KernelHeight: 3, KernelWidth: 3, Stride: 1,
		Pad: 1, ReLU: true}
	b := NewBatch(16)
	eachISA(t, func(t *testing.T, isa ISA) {
		c := must(NewConv(isa, b, cfg)).Winograd(NewScratch(1))
		x, y := make([]float32, b.Len(cfg.In)), make([]float32, b.Len(c.Out()))
		w := make([]float32, c.weightLen())
		for i := range w {
			w[i] = 1
		}
		x[0] = float32(math.NaN()) // image 0, channel 0, first position
		c.Forward(nil, y, x, w, nil)
		if y[0] == y[0] || y[1] != 0 {
			t.Fatalf("y = %v, want NaN, 0", y[:2])
		}
	})
}

func TestWinogradFits(t *testing.T) {
	good := ConvConfig{In: Shape{32, 8, 8}, Out: 32, KernelHeight: 3, KernelWidth: 3, Stride: 1,
		Pad: 1}
	if !WinogradFits(Generic, good) {
		t.Errorf("%+v does not fit", good)
	}
	half := good
	half.In.Channels, half.Out = 16, 16
	if !WinogradFits(AVX2, half) {
		t.Errorf("on AVX2 %+v does not fit", half)
	}
	if half.Out = 15; WinogradFits(AVX2, half) {
		t.Errorf("on AVX2 %+v fits", half)
	}
	for name, change := range map[string]func(*ConvConfig){
		"few inputs":  func(c *ConvConfig) { c.In.Channels = 16 },
		"few outputs": func(c *ConvConfig) { c.Out = 16 },
		"odd map":     func(c *ConvConfig) { c.In.Height = 7 },
		"one square":  func(c *ConvConfig) { c.In.Height, c.In.Width = 2, 2 },
		"stride 2":    func(c *ConvConfig) { c.Stride = 2 },
		"5×5":         func(c *ConvConfig) { c.KernelHeight, c.KernelWidth, c.Pad = 5, 5, 2 },
		"no geometry": func(c *ConvConfig) { c.Out = 0 },
	} {
		cfg := good
		if change(&cfg); WinogradFits(Generic, cfg) {
			t.Errorf("%s: %+v fits", name, cfg)
		}
	}
}
