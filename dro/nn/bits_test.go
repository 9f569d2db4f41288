package nn

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"drolab/dro/internal/kern"
	"drolab/dro/testsize"
)

// digests holds the hashes of three steps of each model by each kernel, as taken by the first
// release of these networks. Runs are resumed and repeated from files, so a kernel's bits may
// change only for a reason. The digests of linear belong to a layer that takes rows as they come
// (kern.Rows). In runs, the kernel of such a layer has another name: avx512-rows, or avx512-parts
// where the gradient of larger batches is summed by parts.
var digests = map[string]string{
	"alexnet/generic":      "b02d069d4efbd1b6",
	"alexnet/avx2":         "9f66babb2e5c96b1",
	"alexnet/avx512":       "77d5666409d90e9c",
	"convnet/generic":      "7296aa18595529f8",
	"convnet/avx2":         "e8cca5f010aae855",
	"convnet/avx512":       "9681b53a383a38c9",
	"linear/generic":       "2835052684d0cf08",
	"linear/avx2":          "7202e86458de90dd",
	"linear/avx512":        "e15bd848744dce6b",
	"linear of 70/generic": "27196600f4913a3f",
	"linear of 70/avx2":    "e637a59689d254f1",
	"linear of 70/avx512":  "646378a599b45adb",
	"mlp/generic":          "b87ad3e0244c4489",
	"mlp/avx2":             "71ddc6bc02f8769a",
	"mlp/avx512":           "f921b5c76ebe62a7",
	"resnet18/generic":     "b3e79b518a145923",
	"resnet18/avx2":        "4f17249c881e3abc",
	"resnet18/avx512":      "82242e9e8e920a49",
	"resnet8/generic":      "eb765e087a3da774",
	"resnet8/avx2":         "375b8fbba0d8000d",
	"resnet8/avx512":       "b5fa0ffca05b1d4e", // avx512-taps

	"resnet8 by winograd/generic": "f3a7da8b4f6995d0",
	"resnet8 by winograd/avx2":    "d415c6eacaa3c264", // avx2-winograd-16-vectors
	"resnet8 by winograd/avx512":  "395155cbce9f0ab6",
}

// arm64Digests holds the hashes on arm64, whose processors round a multiply-add once, in plain Go
// as well. NEON has the bits of plain Go but in the gradients of weights: there it keeps four sums
// for a dot product, and plain Go keeps eight. They were taken under an emulator, for the models
// that it runs in minutes.
var arm64Digests = map[string]string{
	"linear/generic":       "a7db9ba236e68df8",
	"linear/neon":          "14a4856a5810a67c",
	"linear of 70/generic": "1640ddedff948348",
	"linear of 70/neon":    "da2659ad2c02fb5b",
	"mlp/generic":          "37c2fb19e9ce44ba",
	"mlp/neon":             "46f53b25f2cd6fa1",
	"convnet/generic":      "fb82eaa295368442",
	"convnet/neon":         "e21da71309f97a3a",
	"resnet8/generic":      "0c1f77e1e5938084",
	"resnet8/neon":         "081ae0cfd35bb3aa",
}

// bf16Digests holds the hashes in bf16. Runs name the kernel amx-bf16-strips where an input has few
// channels, and, for example, avx512-bf16-runs-pairs where convolutions read roundings.
var bf16Digests = map[string]string{
	"alexnet/generic-bf16-rounded": "3a8db70b3488c31e",
	"alexnet/avx2-bf16-rounded":    "82244a56e9fcc41b",
	"alexnet/avx512-bf16":          "046ce97be1e73fc5",
	"alexnet/amx-bf16":             "612fd6b25210ebdc",
	"convnet/generic-bf16-rounded": "27c11a8d18971505",
	"convnet/avx2-bf16-rounded":    "01496cc0bd19863b",
	"convnet/avx512-bf16":          "344a95060dee4d69",
	"convnet/amx-bf16":             "1b244e3f400de71f",
	"mlp/generic-bf16-rounded":     "9dceec6f12609749",
	"mlp/avx2-bf16-rounded":        "24cfb444db517c78",
	"mlp/avx512-bf16":              "512c99ffd7d8ca13",
	"mlp/amx-bf16":                 "914b1a9af5838950",

	"resnet18/generic-bf16-rounded": "ca1abe7b069b7e5e",
	"resnet18/avx2-bf16-rounded":    "0c73f5a01fa7b9b5",
	"resnet18/avx512-bf16":          "9f39044d29cc829c",
	"resnet8/generic-bf16-rounded":  "21bd1db0d6580ab6",
	"resnet8/avx2-bf16-rounded":     "e77191f7a8cc61d7",
	"resnet8/avx512-bf16":           "18949d2f7c80fcde",
}

// slow reports whether a digest is left out: the large models take long on kernels other than this
// machine's best. They are left out but with DROLAB_LONG=1. With -short resnet8 and mlp are too,
// and the largest models on every kernel.
func slow(model string, isa kern.ISA) bool {
	if isa == kern.Detect() {
		return testing.Short() && (model == "resnet18" || model == "alexnet")
	}
	return skipped(model) || model == "resnet8 by winograd" && !testsize.Long() ||
		testing.Short() && (model == "resnet8" || model == "mlp")
}

// TestModelsKeepTheirBits takes steps, and a gradient over two batches, and compares every bit of
// the results.
func TestModelsKeepTheirBits(t *testing.T) {
	digests := map[string]map[string]string{"amd64": digests, "arm64": arm64Digests}[runtime.GOARCH]
	if digests == nil {
		t.Skip("no digests were taken on this architecture")
	}
	for _, model := range slices.Concat(Models(), []string{"linear of 70", "resnet8 by winograd"}) {
		for _, isa := range kern.ISAs() {
			if slow(model, isa) {
				continue
			}
			name := fmt.Sprintf("%s/%v", model, isa)
			t.Run(name, func(t *testing.T) {
				want := digests[name]
				if want == "" {
					t.Skip("no digest of this kernel was taken")
				}
				if got := digest(t, isa, model, "fp32"); got != want {
					t.Errorf("digest %q, want %q", got, want)
				}
			})
		}
	}
}

// TestBF16KeepsItsBits is the same test in bf16, on this machine's best instructions and on rounded
// operands.
func TestBF16KeepsItsBits(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("other processors round a multiply-add once: their digests are others")
	}
	for _, model := range []string{"alexnet", "convnet", "mlp", "resnet18", "resnet8"} {
		for _, isa := range kern.ISAs() {
			if slow(model, isa) {
				continue
			}
			kind := kern.Rounded
			if isa == kern.Detect() {
				kind = kern.DetectBF16()
			}
			name := fmt.Sprintf("%s/%s", model, kind.On(isa))
			t.Run(name, func(t *testing.T) {
				got, want := digest(t, isa, model, bf16), bf16Digests[name]
				if want == "" {
					t.Skip("no digest of this kernel was taken: ", got)
				}
				if got != want {
					t.Errorf("digest %q, want %q", got, want)
				}
			})
		}
	}
}

// digest hashes losses, predictions, gradients, norms, weights and velocities of a few steps.
func digest(t *testing.T, isa kern.ISA, model, precision string) string {
	c := Config{Model: model, C: 3, H: 32, W: 32, Classes: 10, Batch: 20, Seed: 6, Threads: 2,
		Precision: precision}
	steps := 3
	switch model { // deep models get small images, because plain Go is slow
	case "linear of 70":
		c.Model, c.Batch = "linear", 70
	case "resnet8 by winograd":
		c.Model, c.Convolution = "resnet8", winograd
		fallthrough
	case "resnet8":
		c.H, c.W = 16, 16
	case "resnet18":
		c.H, c.W, c.Batch, steps = 8, 8, 4, 1
	}
	list, err := stages(c)
	if err != nil {
		t.Fatal(err)
	}
	n, err := newNet(isa, c, list)
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	sum := fnv.New64a()
	write := func(what ...any) {
		for _, w := range what {
			if x, ok := w.([]float32); ok && len(x) > 0 { // millions, in amd64's byte order
				sum.Write(unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 4*len(x)))
				continue
			}
			if err := binary.Write(sum, binary.LittleEndian, w); err != nil {
				t.Fatal(err)
			}
		}
	}
	losses, classes := make([]float64, c.Batch), make([]int, c.Batch)
	for step := range steps {
		x, labels, ratios := batch(c, c.Batch-step, uint64(step)) // partial batches, too
		n.Losses(losses, x, labels)
		n.Predictions(classes)
		for _, class := range classes {
			write(int64(class))
		}
		n.Gradient(ratios)
		write(losses, n.GradientNorm(), n.gradient)
		write(n.Update(SGD{LR: 0.01, Momentum: 0.9, WeightDecay: 1e-3}), n.weights, n.velocity)
		n.Losses(losses, x, labels)
		n.AddGradient(ratios)
		write(losses, n.GradientNorm(), n.gradient)
	}
	return fmt.Sprintf("%016x", sum.Sum64())
}
