package tuitest

import (
	"math"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/certificate"
	"drolab/runner/data"
	"drolab/runner/measure"
)

// NewPick returns a made-up pick: of the 500 test samples of a run, the forty with the largest
// weights. The samples are pictures of spots or, if table is set, rows of a table with groups.
func NewPick(m *runner.Meta, table bool) *certificate.Pick {
	p := &certificate.Pick{Dataset: "shapes", Step: m.Steps, Split: runner.SplitTest,
		Shape: data.Shape{C: 3, H: 16, W: 16}, Size: 500, Classes: m.Classes,
		Set: dro.CressieRead{K: 2}, Radii: []float64{.1, .5, 1}, Risks: []float64{1.25, 2.5, 3.75}}
	p.Loss, p.Accuracy, p.Worst = measure.Num(.75), measure.Num(.8125), measure.Num(.25)
	p.Parts = []certificate.Part{{Kind: certificate.All, Size: p.Size},
		{Kind: certificate.Wrong, Size: 94}}
	for _, name := range p.Classes {
		p.Parts = append(p.Parts, certificate.Part{Name: name, Kind: certificate.Class,
			Size: p.Size / len(p.Classes)})
	}
	if table {
		p.Dataset, p.Shape = "csv:patients.csv", data.Shape{C: 3, H: 1, W: 1}
		p.Groups = []string{"land, in the hills", "water, by the coast"}
		p.Encoder.Columns = []data.Column{{Name: "age", Mean: 40, Std: 10},
			{Name: "colour", Categories: []string{"red", "blue"}}}
		p.Notes = []string{"the label is the last column"}
		p.Parts = append(p.Parts,
			certificate.Part{Name: p.Groups[0], Kind: certificate.Group, Size: 250},
			certificate.Part{Name: p.Groups[1], Kind: certificate.Group, Size: 250})
	}
	for i := range 40 {
		s := sampleOf(p, i)
		p.Samples = append(p.Samples, s)
		for k := range p.Parts {
			part := &p.Parts[k]
			if part.Kind == certificate.All || part.Kind == certificate.Wrong && s.Wrong() ||
				part.Kind == certificate.Class && part.Name == p.Classes[s.Label] ||
				part.Kind == certificate.Group && part.Name == p.Groups[s.Groups[0]] {
				part.Samples = append(part.Samples, i)
			}
		}
	}
	return p
}

// sampleOf returns the i-th sample of a made-up pick.
func sampleOf(p *certificate.Pick, i int) certificate.Sample {
	n := len(p.Classes)
	s := certificate.Sample{Row: i * 7919 % p.Size, Label: i * 3 % n, Prediction: i * 7 % n,
		Loss: 9 * math.Pow(.95, float64(i))}
	for _, rho := range p.Radii {
		s.Ratios = append(s.Ratios, (1+4*rho)*math.Pow(.95, float64(i)))
	}
	if p.Groups != nil {
		s.Groups = []int{i % 2}
		s.Features = []float32{float32(i)/8 - 2, float32(i % 2), float32(1 - i%2)}
		return s
	}
	s.Picture = &certificate.Picture{W: p.Shape.W, H: p.Shape.H}
	for y := range p.Shape.H {
		for x := range p.Shape.W {
			c := [3]byte{byte(16 * x), byte(16 * y), byte(6 * i)}
			if dx, dy := x-8, y-8; dx*dx+dy*dy < 4*(s.Label+1) {
				c = [3]byte{255, byte(25 * s.Label), byte(25 * s.Prediction)}
			}
			s.Picture.RGB = append(s.Picture.RGB, c[:]...)
		}
	}
	return s
}
