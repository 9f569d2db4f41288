package kern

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// walled returns n zeroed values with an unmapped page right after the last, so that a kernel that
// reads or writes beyond the end faults.
func walled(t *testing.T, n int) []float32 {
	t.Helper()
	page := unix.Getpagesize()
	size := (4*n + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, size+page, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(m); err != nil {
			t.Error(err)
		}
	})
	if err := unix.Mprotect(m[size:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&m[size-4*n])), n)
}

// TestNothingTouchesBeyondTheEnd runs every operation with all its operands against an unmapped
// page.
func TestNothingTouchesBeyondTheEnd(t *testing.T) {
	wall := func(n int) []float32 { return walled(t, n) }
	for i, tc := range convCases {
		if testing.Short() && i%4 > 0 {
			continue
		}
		b := NewBatch(tc.images)
		eachISA(t, func(t *testing.T, isa ISA) {
			c := must(NewConv(isa, b, tc.cfg))
			x, y, dx := wall(b.Len(tc.cfg.In)), wall(b.Len(c.Out())), wall(b.Len(tc.cfg.In))
			w, dw := wall(c.weightLen()), wall(c.weightLen())
			bias, db := wall(tc.cfg.Out), wall(tc.cfg.Out)
			c.Forward(nil, y, x, w, bias)
			c.BackwardData(nil, dx, y, w, x, nil)
			c.CopyVectors(NewScratch(1))
			if c.space != nil {
				c.space.pieces[0].memory = wall(len(c.space.pieces[0].memory))
			}
			c.Forward(nil, y, x, w, bias)
			c.BackwardData(nil, dx, y, w, x, x)
			for _, outer := range []bool{false, true} {
				if c.dot, c.outer = newDotPlan(c), nil; outer {
					c.dot, c.outer = nil, newOuterPlan(c)
					c.outer.x = wall(len(c.outer.x))
				}
				c.BackwardWeights(nil, dw, db, x, y, false)
			}
			if c.SumByVectors(NewScratch(1)); c.vectors != nil {
				c.vectors.sums = wall(len(c.vectors.sums))
				c.vectors.space.pieces[0].memory = wall(len(c.vectors.space.pieces[0].memory))
				c.BackwardWeights(nil, dw, db, x, y, false)
			}
			l := NewLayout(isa, b, tc.cfg.In)
			images := wall(tc.images * tc.cfg.In.Len())
			l.Pack(nil, x, images)
			l.Unpack(images, x)
			NewSum(isa).Run(nil, dx, dx, nil, x)
			n := NewBatchNorm(isa, b, tc.cfg.In, false)
			gamma, dgamma := wall(tc.cfg.In.Channels), wall(tc.cfg.In.Channels)
			z := wall(len(x))
			n.Forward(nil, z, x, gamma, dgamma, dx, tc.images)
			n.Backward(nil, dx, dgamma, gamma, x, z, gamma, false)
			NewSum(isa).Run(nil, dx, dx, z, x)
			v := wall(len(w))
			NewSGD(isa, len(w)).Step(nil, w, v, dw, SGDConfig{})
			if in := c.Out(); in.Height >= 2 && in.Width >= 2 {
				m := NewMaxPool(isa, b, in)
				p, dp, dy := wall(b.Len(m.Out())), wall(b.Len(m.Out())), wall(len(y))
				m.Forward(nil, p, y)
				m.Backward(nil, dy, y, p, dp, true)
			}
		})
	}
}

// TestNothingTouchesBeyondTheEndInBF16 is the same test for products of rounded operands, including
// packed ones.
func TestNothingTouchesBeyondTheEndInBF16(t *testing.T) {
	for i, tc := range bf16Cases() {
		if testing.Short() && i%2 > 0 {
			continue
		}
		b := NewBatch(tc.images)
		eachBF16(t, func(t *testing.T, kind BF16, isa ISA) {
			wall := func(n int) []float32 { return walled(t, n) }
			c := must(NewConv(isa, b, tc.cfg)).BF16(kind, new(Workspace), true)
			if kind != Rounded {
				for _, s := range []*[]uint16{&c.space.a, &c.space.b} {
					*s = unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(wall(len(*s)/2)))),
						len(*s))
				}
			}
			x, y, dx := wall(b.Len(tc.cfg.In)), wall(b.Len(c.Out())), wall(b.Len(tc.cfg.In))
			w, dw := wall(c.weightLen()), wall(c.weightLen())
			bias, db := wall(tc.cfg.Out), wall(tc.cfg.Out)
			c.Forward(nil, y, x, w, bias)
			c.BackwardData(nil, dx, y, w, x, nil)
			c.BackwardWeights(nil, dw, db, x, y, false)
		})
	}
}

// TestNothingTouchesBeyondTheEndByWinograd is the same test for Winograd convolutions, including
// all memory of their own.
func TestNothingTouchesBeyondTheEndByWinograd(t *testing.T) {
	wall := func(n int) []float32 { return walled(t, n) }
	for _, tc := range winogradCases {
		b := NewBatch(tc.images)
		eachISA(t, func(t *testing.T, isa ISA) {
			plain := must(NewConv(isa, b, tc.cfg))
			plain.outer = newOuterPlan(plain)
			plain.outer.x = wall(len(plain.outer.x))
			c := plain.Winograd(NewScratch(1))
			c.weights = wall(len(c.weights))
			if c.vectorsGrad != nil {
				c.vectorsGrad.sums = wall(len(c.vectorsGrad.sums))
			} else {
				c.grad.sums = wall(len(c.grad.sums))
			}
			c.space.zeros, c.space.pieces[0].memory = wall(len(c.space.zeros)),
				wall(len(c.space.pieces[0].memory))
			x, y, dx := wall(b.Len(tc.cfg.In)), wall(b.Len(c.Out())), wall(b.Len(tc.cfg.In))
			w, dw := wall(c.weightLen()), wall(c.weightLen())
			bias, db := wall(tc.cfg.Out), wall(tc.cfg.Out)
			w[0] = 1 // not the zeros that are transformed already
			c.Forward(nil, y, x, w, bias)
			c.BackwardData(nil, dx, y, w, x, x)
			c.BackwardWeights(nil, dw, db, x, y, false)
		})
	}
}

// TestNoAllocationByWinograd checks that no direction allocates, with weights that are transformed
// anew.
func TestNoAllocationByWinograd(t *testing.T) {
	eachISA(t, func(t *testing.T, isa ISA) {
		team := NewTeam(2)
		defer team.Close()
		cfg := ConvConfig{In: Shape{32, 4, 4}, Out: 32, KernelHeight: 3, KernelWidth: 3, Stride: 1,
			Pad: 1}
		b := NewBatch(20)
		c := must(NewConv(isa, b, cfg)).Winograd(NewScratch(2))
		x, y := Alloc(b.Len(cfg.In)), Alloc(b.Len(c.Out()))
		w, db := Alloc(c.weightLen()), Alloc(cfg.Out)
		if a := testing.AllocsPerRun(2, func() {
			w[0]++
			c.Forward(team, y, x, w, db)
			c.BackwardData(team, x, y, w, x, nil)
			c.BackwardWeights(team, w, db, x, y, true)
		}); a != 0 {
			t.Errorf("it allocates %v times", a)
		}
	})
}

// TestNoAllocationInBF16 checks that no direction allocates.
func TestNoAllocationInBF16(t *testing.T) {
	eachBF16(t, func(t *testing.T, kind BF16, isa ISA) {
		team := NewTeam(2)
		defer team.Close()
		cfg := bf16Cases()[len(convCases)].cfg
		b := NewBatch(20)
		c := must(NewConv(isa, b, cfg)).BF16(kind, new(Workspace), true)
		x, y := Alloc(b.Len(cfg.In)), Alloc(b.Len(c.Out()))
		w, db := Alloc(c.weightLen()), Alloc(cfg.Out)
		if a := testing.AllocsPerRun(2, func() {
			c.Forward(team, y, x, w, db)
			c.BackwardData(team, x, y, w, x, nil)
			c.BackwardWeights(team, w, db, x, y, true)
		}); a != 0 {
			t.Errorf("it allocates %v times", a)
		}
	})
}

// TestNoAllocation runs a training step twice: after the first, nothing allocates.
func TestNoAllocation(t *testing.T) {
	eachISA(t, func(t *testing.T, isa ISA) {
		if testing.Short() && isa != Detect() {
			return
		}
		team := NewTeam(2)
		defer team.Close()
		n := newAlexNet(isa, team, 3)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range n.images {
			n.images[i] = float32(r.NormFloat64())
		}
		if a := testing.AllocsPerRun(2, func() {
			n.forward()
			n.backward()
			n.update()
		}); a != 0 {
			t.Errorf("a step allocates %v times", a)
		}
	})
}

// If a mapped file is cut, the operation that reads it panics, whichever thread reads.
func TestRowsOfACutFile(t *testing.T) {
	const in, images = 512, 64
	file, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err == nil {
		err = file.Truncate(4 * in * images)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	m, err := unix.Mmap(int(file.Fd()), 0, 4*in*images, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(m)
	x := Images{X: unsafe.Slice((*float32)(unsafe.Pointer(&m[0])), in*images)}
	for i := range images {
		x.At = append(x.At, int32(in*i))
	}
	cfg, b := Linear(Shape{in, 1, 1}, 3, false), NewBatch(images)
	eachRows(t, cfg, func(t *testing.T, isa ISA) {
		if err := file.Truncate(4 * in * images); err != nil {
			t.Fatal(err)
		}
		r, team := must(NewRows(isa, b, cfg)), NewTeam(3)
		defer team.Close()
		w, y, dw := make([]float32, 3*in), make([]float32, 3*b.padded()), make([]float32, 3*in)
		forward := func() { r.Forward(team, y, x, w, nil) }
		backward := func() { r.BackwardWeights(team, dw, nil, x, y, false) }
		onePass := must(NewRowsPass(r, NewLoss(isa, b, 3, CrossEntropy)))
		call := PassCall{
			Images: x, W: w, Y: y, DW: dw,
			Labels: make([]int, images), DY: make([]float32, len(y)), DB: make([]float32, 3),
			Losses: make([]float64, images), Weights: make([]float64, images),
			Weigh: func(int, int) {},
		}
		pass := func() { onePass.Run(team, call) }
		forward()
		if err := file.Truncate(0); err != nil {
			t.Fatal(err)
		}
		calls := map[string]func(){"forward": forward, "backward": backward, "pass": pass}
		for name, f := range calls {
			if _, ok := panicOf(f).(interface{ Addr() uintptr }); !ok {
				t.Errorf("%s: no fault comes up", name)
			}
		}
		if err := file.Truncate(4 * in * images); err != nil {
			t.Fatal(err)
		}
		forward() // the team goes on
	})
}
