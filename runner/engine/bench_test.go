//go:build unix

package engine_test

import (
	"strconv"
	"testing"

	"drolab/dro"
)

// BenchmarkStep measures a step of a script in Python without a network, in batches of 128, with
// all of drolab's work in it. The sub-benchmark native of BenchmarkStep in runner/bridge measures
// the same work without a process beside it.
func BenchmarkStep(b *testing.B) {
	for _, a := range []dro.Algorithm{dro.ERM, dro.SFK} {
		b.Run(string(a), func(b *testing.B) {
			lines, err := runsDir(b.TempDir()).python(b, "numpy", "steps.py", string(a),
				strconv.Itoa(b.N))
			if err != nil {
				b.Fatal(err)
			}
			ns, err := strconv.ParseFloat(lines[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(ns, "ns/op")
		})
	}
}
